"""What the doctor finds, and that it tries rather than guesses."""

import sys
import tomllib
from pathlib import Path

import pytest

from errata.apps.cli import doctor
from errata.models.providers import embedded
from errata.models.tasks.drafting import Draft
from errata.state.errors import ConfigurationError, ModelError
from errata.tools import SEARCHES


@pytest.fixture(autouse=True)
def _nothing_configured(monkeypatch: pytest.MonkeyPatch) -> None:
    for variable in (
        "OPENAI_API_KEY",
        "TAVILY_API_KEY",
        "ERRATA_CONTACT",
        "ERRATA_SEARXNG_URL",
        "BRAVE_SEARCH_API_KEY",
        "SERPER_API_KEY",
        "ERRATA_MODEL",
        "PERSPECTIVE_API_KEY",
    ):
        monkeypatch.delenv(variable, raising=False)


async def found(offline: bool = True) -> dict[str, doctor.Finding]:
    return {finding["name"]: finding for finding in await doctor.examine(offline=offline)}


async def test_what_is_missing_says_how_to_get_it() -> None:
    findings = await found()
    assert findings["tavily search"]["status"] == "missing"
    assert "TAVILY_API_KEY" in findings["tavily search"]["detail"]
    assert "ERRATA_CONTACT" in findings["wikipedia search"]["detail"]
    assert "OPENAI_API_KEY" in findings["chat model"]["detail"]
    assert "`errata models use deberta-v3-base-fever` gets a judge" in findings["local models"]["detail"]


async def test_every_extra_and_every_scorer_with_a_key_is_named() -> None:
    findings = await found()
    extras = tomllib.loads((Path(__file__).parents[3] / "pyproject.toml").read_text())["project"][
        "optional-dependencies"
    ]
    assert {f"extra `{name}`" for name in extras if name != "embedded"} <= findings.keys()  # that one is tried
    for scorer, variable in {"perspective": "PERSPECTIVE_API_KEY", "moderation": "OPENAI_API_KEY"}.items():
        finding = findings[f"{scorer} scorer"]
        assert (finding["status"], variable in finding["detail"]) == ("missing", True)


async def test_every_search_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ddgs", None)
    findings = await found()
    assert {f"{name} search" for name in SEARCHES if name != "dataset"} <= findings.keys()  # that one needs a question
    assert findings["arxiv search"]["status"] == "untried"
    assert findings["duckduckgo search"]["status"] == "missing"
    assert "pip install 'errata[duckduckgo]'" in findings["duckduckgo search"]["detail"]
    assert "BRAVE_SEARCH_API_KEY" in findings["brave search"]["detail"]


async def test_the_local_search_is_tried() -> None:
    assert "Eiffel Tower" in (await found())["local search"]["detail"]


async def test_offline_leaves_what_needs_the_network_untried(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TAVILY_API_KEY", "tvly-secret")
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret")
    findings = await found()
    assert findings["tavily search"]["status"] == "untried"
    assert findings["chat model"]["status"] == "untried"
    assert "secret" not in str(findings)


async def test_a_broken_default_is_broken_and_a_broken_extra_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    def gone() -> None:
        raise ConfigurationError("the weights are not installed")

    monkeypatch.setattr(embedded, "weights", gone)
    monkeypatch.setattr(embedded, "base_url", gone)
    assert (await found())["embedded model"]["status"] == "broken"


async def test_the_model_that_comes_along_is_not_taken_for_the_users_own(monkeypatch: pytest.MonkeyPatch) -> None:
    class Tiny:
        async def ainvoke(self, task_input: object) -> Draft:
            return Draft(text="The capital of France is Lyon.")

    monkeypatch.setattr(doctor, "task", lambda context, name: Tiny())
    findings = await found()
    assert "comes with errata" in findings["embedded model"]["detail"]
    assert "Lyon" not in findings["embedded model"]["detail"]
    assert findings["chat model"]["detail"].startswith("none, so rules do the checking")
    assert next(iter(findings)) == "chat model"


async def test_a_choice_that_cannot_be_read_is_broken_and_stops_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ERRATA_CONFIG_DIR", str(tmp_path))
    (tmp_path / "models.json").write_text('{"model": ')
    findings = await found()
    assert findings["chat model"]["status"] == "broken"
    assert "models.json is damaged: delete it" in findings["chat model"]["detail"]
    assert findings["local search"]["status"] == "ok"


async def test_a_model_that_does_not_answer_is_broken(monkeypatch: pytest.MonkeyPatch) -> None:
    class Silent:
        async def ainvoke(self, task_input: object) -> None:
            raise ModelError("no answer within 30 seconds")

    monkeypatch.setattr(doctor, "task", lambda context, name: Silent())
    finding = (await found())["embedded model"]
    assert finding == {"name": "embedded model", "status": "broken", "detail": "no answer within 30 seconds"}
