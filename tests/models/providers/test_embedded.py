"""Which embedded model is meant, what it is used for by its size, and which servers stay."""

from pathlib import Path
from typing import Any

import pytest

from errata.models import backend, check_backends, model_name
from errata.models.local import catalogue, hub
from errata.models.local.gguf import read
from errata.models.providers import embedded
from errata.models.tasks import TASKS
from errata.state import Context
from errata.state.errors import ConfigurationError

from ...ggufs import gguf, large


def backends(model: str) -> dict[str, str]:
    names = ("draft", "revise", "edit", "agreement", "check", "queries")
    return {name: backend(Context(model=model), TASKS[name]).name for name in names}


RULES = {"draft": "chat", "edit": "rules", "agreement": "rules", "check": "rules", "queries": "rules"}


def test_a_model_of_more_than_a_billion_parameters_corrects_and_judges_nothing(tmp_path: Path) -> None:
    assert backends(f"embedded:{large(tmp_path / 'a.gguf', 1_500_000_000)}") == {**RULES, "revise": "chat"}


def test_a_smaller_one_drafts_whatever_it_is_called(tmp_path: Path) -> None:
    assert backends(f"embedded:{large(tmp_path / 'giant-70b.gguf', 900_000_000)}") == {**RULES, "revise": "rules"}


def test_the_file_that_the_environment_names_counts_by_its_size(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv(embedded.PATH_VARIABLE, str(large(tmp_path / "a.gguf", 1_500_000_000)))
    assert backends("embedded")["revise"] == "chat"


def test_a_backend_that_is_asked_for_goes_first(tmp_path: Path) -> None:
    model = f"embedded:{large(tmp_path / 'a.gguf')}"
    assert backend(Context(model=model, backends={"revise": "rules"}), TASKS["revise"]).name == "rules"
    assert backend(Context(model=model, backends={"agreement": "chat"}), TASKS["agreement"]).name == "chat"


def test_a_model_is_called_by_its_file() -> None:
    assert model_name(Context(model="embedded:/srv/models/qwen-q4.gguf")) == "qwen-q4"
    assert model_name(Context()) == embedded.NAME


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("qwen2.5-coder-1.5b-instruct", "run `errata models get qwen2.5-coder-1.5b-instruct`"),
        ("qwen2.5-coder-1.5b", "did you mean `qwen2.5-coder-1.5b-instruct`"),
        ("deberta-v3-small", "writes nothing"),
        ("nowhere/model.gguf", "there is no GGUF file nowhere/model.gguf"),
    ],
)
def test_a_model_that_is_not_here_says_what_to_do(name: str, said: str) -> None:
    with pytest.raises(ConfigurationError, match=said):
        check_backends(Context(model=f"embedded:{name}"), ["draft"])


def test_a_fetched_model_goes_by_its_name() -> None:
    model = catalogue.MODELS["qwen2.5-0.5b-instruct"]
    path = hub.folder(model) / model.weights
    path.parent.mkdir(parents=True)
    gguf(path)
    assert embedded.weights(model.name) == path
    path.unlink()


def test_a_file_that_can_t_be_loaded_is_refused_before_the_run(tmp_path: Path) -> None:
    path = gguf(tmp_path / "cut.gguf")
    path.write_bytes(path.read_bytes()[:100])
    with pytest.raises(ConfigurationError, match="cut off"):
        check_backends(Context(model=f"embedded:{path}"), ["draft"])


@pytest.mark.parametrize("needed", [["draft"], ["agreement"], []])
def test_a_file_of_another_kind_is_refused_even_if_rules_do_all(tmp_path: Path, needed: list[str]) -> None:
    path = tmp_path / "README.md"
    path.write_text("# Readme\n")
    with pytest.raises(ConfigurationError, match="not a GGUF file"):
        check_backends(Context(model=f"embedded:{path}"), needed)


def test_a_model_larger_than_the_memory_is_refused(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(embedded, "_memory", lambda: 100_000_000)
    with pytest.raises(ConfigurationError, match="choose a smaller model"):
        embedded.check(str(large(tmp_path / "a.gguf", 1_500_000_000)))


@pytest.mark.parametrize(("gigabytes", "tokens"), [(64, 8_192), (1.6, 6_975), (0.5, 4_096)])
def test_the_context_is_bounded_by_the_memory(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, gigabytes: float, tokens: int
) -> None:
    monkeypatch.setattr(embedded, "_memory", lambda: int(gigabytes * 1e9))
    assert embedded._context(read(gguf(tmp_path / "a.gguf"))) == tokens


@pytest.mark.parametrize(("load", "threads"), [(0.1, 4), (2.2, 2), (30.0, 1)])
def test_threads_leave_busy_cores_alone(monkeypatch: pytest.MonkeyPatch, load: float, threads: int) -> None:
    monkeypatch.setattr("os.sched_getaffinity", lambda _: range(4), raising=False)
    running = Path("/proc/loadavg")
    read = Path.read_text

    def told(path: Path, *settings: Any) -> str:
        return f"9.00 9.00 9.00 {round(load) + 1}/200 77" if path == running else read(path, *settings)

    monkeypatch.setattr(Path, "read_text", told)
    assert embedded._threads() == threads, "what ran a minute ago does not matter"
    monkeypatch.setattr(embedded, "_running", lambda: int("no such file"))
    monkeypatch.setattr("os.getloadavg", lambda: (load, 0.0, 0.0), raising=False)
    assert embedded._threads() == threads, "elsewhere, the last minute has to do"


class Server:
    """Stands for llama.cpp's."""

    def __init__(self, path: Path) -> None:
        self.listening_address = f"http://{path.stem}"


@pytest.fixture
def servers(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setattr(embedded, "_start", Server)
    monkeypatch.setattr(embedded, "_servers", {})
    monkeypatch.setattr(embedded, "MOST_LOADED", 2)
    return embedded._servers


def test_the_server_that_was_not_used_for_longest_makes_room(servers: dict[Path, Any], tmp_path: Path) -> None:
    a, b, c = (gguf(tmp_path / f"{name}.gguf") for name in "abc")
    for path in (a, b, a, c):
        assert embedded.base_url(str(path)) == f"http://{path.stem}/v1"
    assert list(servers) == [a, c]


def test_a_server_in_use_stays(servers: dict[Path, Any], tmp_path: Path) -> None:
    a, b, c, d = (gguf(tmp_path / f"{name}.gguf") for name in "abcd")
    embedded.base_url(str(a))
    with embedded.in_use(a):
        for path in (b, c, d):
            embedded.base_url(str(path))
        assert a in servers
        assert len(servers) == 3
    embedded.base_url(str(b))
    assert a not in servers


def test_a_server_that_was_stopped_is_told_from_the_next(servers: dict[Path, Any], tmp_path: Path) -> None:
    a = gguf(tmp_path / "a.gguf")
    embedded.base_url(str(a))
    with embedded.in_use(a) as before:
        pass
    embedded.stop()
    with embedded.in_use(a) as after:
        assert after != before
