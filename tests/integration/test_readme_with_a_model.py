"""The README's commands that name a model, as they stand there, against a server that behaves as that model does."""

import io
import json
import re
import shlex
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from errata.apps import cli

from ..zoo.kinds import GPT_5
from ..zoo.knower import knower
from ..zoo.server import zoo

ROOT = Path(__file__).parents[2]
MODEL = "openai:gpt-5-mini"
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
QUESTION = "Who designed the Sydney Opera House?"
UTZON = "The Sydney Opera House was designed by Jørn Utzon."


def commands() -> list[list[str]]:
    """Those of the documentation, as a shell would split them."""
    shown = [
        line.strip().removeprefix("$ ").removeprefix("uv run ")
        for page in PAGES
        for line in page.read_text("utf-8").splitlines()
        if re.match(r"\s*(?:\$ )?(?:uv run )?errata .*--model " + MODEL, line)
    ]
    return [shlex.split(line, comments=True) for line in dict.fromkeys(shown)]


@pytest.fixture
def errata(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Callable[..., tuple[int, str]]:
    """Run the command line in a folder with the files that it reads; returns exit code and what it printed."""
    (tmp_path / "documents").mkdir()
    (tmp_path / "documents" / "everest.txt").write_text("Mount Everest is 8,849 metres high.\n")
    (tmp_path / "draft.txt").write_text(f"{UTZON}\n")
    (tmp_path / "answers.jsonl").write_text(json.dumps({"id": "1", "response": UTZON}) + "\n")
    (tmp_path / "questions.jsonl").write_text(json.dumps({"id": "1", "question": QUESTION}) + "\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.setenv("ERRATA_CACHE_DIR", str(tmp_path / "cache"))
    for variable in ("OPENAI_BASE_URL", "OPENAI_API_BASE", "OPENAI_API_KEY", "ERRATA_MODEL", "ERRATA_BASE_URL"):
        monkeypatch.delenv(variable, raising=False)

    def run(*arguments: str) -> tuple[int, str]:
        monkeypatch.setattr(sys, "argv", ["errata", *arguments])
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"How high is Mount Everest?\n")))
        with pytest.raises(SystemExit) as left:
            cli.main()
        return int(left.value.code or 0), capsys.readouterr().out

    return run


def test_there_are_commands_that_name_the_model() -> None:
    assert len(commands()) >= 4


@pytest.mark.parametrize("command", commands(), ids=lambda command: " ".join(command[1:3]))
def test_a_command_gives_a_result(
    command: list[str], errata: Callable[..., tuple[int, str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    if command[1] == "batch":
        Path(command[4]).unlink()  # what it is to write
    before = rows()
    with zoo(GPT_5, knower) as (stub, _):
        monkeypatch.setenv("OPENAI_API_KEY", "sk-of-the-zoo")
        monkeypatch.setenv("OPENAI_BASE_URL", stub.base_url)
        code, out = errata(*command[1:])
    assert code == 0, out
    result = out + "".join(words for name, words in rows().items() if before.get(name) != words)
    assert re.search(r"Utzon|Elbe|31|8,849|Nobody knows", result), result


def rows() -> dict[str, str]:
    """What the files hold that commands read and write."""
    return {path.name: path.read_text("utf-8") for path in Path().glob("*.jsonl")}


def test_a_server_of_ones_own_is_asked_by_its_address_and_needs_no_key(errata: Callable[..., tuple[int, str]]) -> None:
    with zoo(GPT_5, knower) as (stub, _):
        code, out = errata("ask", QUESTION, "--model", MODEL, "--base-url", stub.base_url)
        assert stub.asks
    assert code == 0, out
    assert "Jørn Utzon" in out
