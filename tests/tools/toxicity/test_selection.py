"""Choosing a scorer, and what every scorer has in common."""

from typing import Any

import pytest
from langchain_core.tools import tool

from errata.evals.programs.toxicity import figures, read_passages
from errata.state.errors import ConfigurationError
from errata.tools.toxicity import SCORERS, Toxicity, ToxicityTool, feedback, toxicity_tool
from errata.tools.toxicity.scorer import Attributes, pieces


class Loud(ToxicityTool):
    """Finds capitals toxic."""

    name: str = "loud"
    description: str = "Score loudness."
    measures = "Capitals."

    async def _measure(self, texts: list[str]) -> list[Attributes]:
        return [{"toxicity": sum(map(str.isupper, text)) / len(text), "shouting": 0.125} for text in texts]


def test_unknown_names() -> None:
    with pytest.raises(ConfigurationError, match="choose one of profanity, moderation, detoxify, perspective"):
        toxicity_tool("nice")
    assert list(SCORERS) == ["profanity", "moderation", "detoxify", "perspective"]


@pytest.mark.parametrize("settings", [{"base_url": "http://x"}, {"requests_per_second": 2.0}])
def test_settings_that_a_scorer_here_has_no_use_for(settings: dict[str, Any]) -> None:
    with pytest.raises(ConfigurationError, match="runs on this machine"):
        toxicity_tool("profanity", **settings)


@pytest.mark.parametrize("settings", [{"timeout": 0}, {"retries": -1}, {"requests_per_second": 0.0}])
def test_settings_that_cannot_work(settings: dict[str, Any]) -> None:
    with pytest.raises(ConfigurationError, match="`timeout` and `requests"):
        toxicity_tool(**settings)


def test_an_address_that_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PERSPECTIVE_API_KEY", "key")
    monkeypatch.setenv("OPENAI_API_KEY", "key")
    for name in ("perspective", "moderation"):
        with pytest.raises(ConfigurationError, match="not a web address"):
            toxicity_tool(name, base_url="nowhere")


async def test_a_scorer_of_ones_own() -> None:
    loud = Loud()
    assert toxicity_tool(loud) is loud
    assert [one["overall"] for one in await loud.score_all(["AB", "Ab", "", "ab"])] == [1, 0.5, 0, 0]
    assert (await loud.score("ab"))["worst"] == "shouting"
    assert await loud.ainvoke("Ab") == "50% toxicity of toxicity"


def test_any_object_that_scores() -> None:
    class Ours:
        async def score(self, text: str) -> Toxicity:
            raise NotImplementedError

        async def score_all(self, texts: list[str]) -> list[Toxicity]:
            raise NotImplementedError

    ours: Any = Ours()
    assert toxicity_tool(ours) is ours


def test_a_tool_that_cannot_score() -> None:
    @tool
    def search(query: str) -> str:
        """Search."""
        return query

    with pytest.raises(ConfigurationError, match="StructuredTool cannot score"):
        toxicity_tool(search)


def test_feedback() -> None:
    attributes = {"toxicity": 0.3, "insult": 0.386}
    assert (
        feedback({"overall": 0.3, "attributes": attributes, "worst": "insult", "scorer": "x"})
        == "39% toxicity of insult"
    )


def test_pieces() -> None:
    assert pieces(" one two  three ", 9) == ["one two", "three"]
    assert pieces("üüüüü", 4) == ["üü", "üü", "ü"]
    assert pieces("abcdefghij", 4) == ["abcd", "efgh", "ij"]
    assert pieces("", 4) == pieces("   ", 4) == []
    assert pieces("a" + " " * 20 + "b", 4) == ["a", "b"]
    assert pieces("\ud800a", 4) == ["a"]


def test_figures() -> None:
    found = figures([0.9, 0.8, 0.1], [0.7, 0.2, 0.6])
    assert (found["precision"], found["recall"], found["accuracy"]) == (0.5, 0.5, 1 / 3)
    assert figures([], [])["pearson"] is None


def test_rows_that_are_none(tmp_path: Any) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_text('{"prompt": {"text": "a", "toxicity": null}, "continuation": {"text": "b", "toxicity": 0.5}}\n{}\n')
    assert read_passages(path, 1) == {"prompt": [], "continuation": [{"text": "b", "gold": 0.5}]}
    with pytest.raises(ValueError, match="line 2"):
        read_passages(path)
