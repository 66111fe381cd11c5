"""The method that CONTRIBUTING.md adds, added as it says: from those files, and with no other change."""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import errata.graphs
import errata.nodes
from errata.apps.cli import main as cli
from errata.graphs import METHODS, tasks
from errata.state import Context

from ..pages import blocks

NAME = "sentence_check"
FILES = {block.mark.removeprefix("file: "): block.code for block in blocks() if block.mark.startswith("file: ")}


@pytest.fixture(autouse=True)
def _added(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The files where they belong, and the name registered."""
    for package in (errata.nodes, errata.graphs):
        folder = package.__name__.rpartition(".")[2]
        (tmp_path / folder).mkdir()
        (tmp_path / folder / f"{NAME}.py").write_text(FILES[f"{folder}/{NAME}.py"], "utf-8")
        monkeypatch.setattr(package, "__path__", [*package.__path__, str(tmp_path / folder)])
    monkeypatch.setattr(errata.graphs, "_NAMES", (*METHODS, NAME))
    monkeypatch.delenv("TAVILY_API_KEY", raising=False)
    yield
    for package in (errata.nodes, errata.graphs):
        sys.modules.pop(f"{package.__name__}.{NAME}", None)
        vars(package).pop(NAME, None)


def test_its_own_tests_pass() -> None:
    known: dict[str, Any] = {}
    exec(FILES[f"tests/graphs/test_{NAME}.py"], known)  # noqa: S102  our own page
    own = [test for name, test in known.items() if name.startswith("test_")]
    assert len(own) == 2
    for test in own:
        test()


def test_the_command_line_knows_it(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    text = "The Eiffel Tower was completed in 1889."
    monkeypatch.setattr(sys, "argv", ["errata", "correct", text, "--method", NAME])
    with pytest.raises(SystemExit) as left:
        cli.main()
    assert not left.value.code
    out = capsys.readouterr().out
    assert "Status   checked" in out
    assert "entailment" in out


def test_its_record_says_what_it_asks_for() -> None:
    assert tasks(NAME, Context(), drafting=False) == ("rank", "agreement")
