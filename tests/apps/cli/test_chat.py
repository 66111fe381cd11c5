"""The conversation as a person meets it, through a pipe."""

import io
import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from errata.apps.cli import chat
from errata.apps.run import Run
from errata.state.errors import ConfigurationError

from ...conftest import Errata

MOON = "Who was the first person to walk on the Moon?"
QUOTING = ("--backend", "respond=rules")

Talk = Callable[..., tuple[int, str, str]]
"""A conversation: from what is typed and the arguments to exit code, standard output and standard error."""


@pytest.fixture
def talk(errata: Errata, monkeypatch: pytest.MonkeyPatch) -> Talk:
    """`errata chat` over what is piped in."""

    def run(lines: str | bytes, *arguments: str) -> tuple[int, str, str]:
        content = lines if isinstance(lines, bytes) else lines.encode()
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content), "utf-8"))
        return errata("chat", *arguments)

    return run


def test_each_response_is_shown_with_its_evidence_and_score(talk: Talk) -> None:
    code, out, err = talk(f"{MOON}\nAnd when did he step onto it?\n", *QUOTING)
    assert code == 0
    first, second = out.strip().split("\n\n")
    assert first.startswith("Neil Armstrong was the first person to walk on the Moon.\n  KF1 0.")
    assert "not revised · accepted" in first
    assert "Apollo 11 · https://en.wikipedia.org/wiki/Apollo_11" in first
    assert "21 July 1969" in second, "what `he` and `it` are, the history tells"
    assert "Traceback" not in out + err


def test_json_is_one_object_per_message(talk: Talk) -> None:
    code, out, err = talk(f"\n{MOON}\n/evidence\n/help\n{MOON}\n", *QUOTING, "--json")
    turns = [json.loads(line) for line in out.splitlines()]
    assert code == 0
    assert [turn["question"] for turn in turns] == [MOON, MOON]
    assert turns[0]["text"].startswith("Neil Armstrong")
    assert turns[0]["scores"][0]["kf1"] > 0.3
    assert turns[0]["evidence"][0]["source"].startswith("https://")
    assert "/reset forgets" in err


def test_commands(talk: Talk) -> None:
    code, out, err = talk(f"/evidence\n{MOON}\n/evidence\n/reset\nWhat is he?\n/quit\n{MOON}\n", *QUOTING)
    assert code == 0
    assert "has no evidence" in err
    assert f"found with: {MOON}" in out
    assert "I have found nothing about that." in out, "after a reset nobody knows who `he` is"
    assert out.count("Neil Armstrong was the first") == 3, "nothing is read after /quit"


def test_a_response_that_is_revised_says_so(talk: Talk, tmp_path: Path) -> None:
    (tmp_path / "lodge.md").write_text("Dogs are welcome at the lodge. Large dogs are welcome at the lodge on a lead.")
    said = talk(
        "Are dogs welcome at the lodge?\n", *QUOTING, "--sources", str(tmp_path), "--set", "utility_threshold=0.9"
    )[1]
    assert "Dogs are welcome at the lodge. Large dogs are welcome at the lodge on a lead." in said
    assert "KF1 1.00 · revised · accepted" in said
    assert "lodge.md" in said


def test_a_turn_that_fails_is_shown_and_the_chat_goes_on(talk: Talk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ERRATA_SEARXNG_URL", "http://127.0.0.1:9")  # sockets are blocked
    arguments = (*QUOTING, "--search", "searxng", "--set", "retries=0", "--json")
    code, out, _ = talk(b"One?\n\xff\xfe?\n" + b"x" * 20_001 + b"\nTwo?\n", *arguments)
    turns = [json.loads(line) for line in out.splitlines()]
    assert code == 1
    assert [turn.get("stopped") for turn in turns] == ["error", None, None, "error"]
    assert "UTF-8" in turns[1]["error"]
    assert "20,000 characters" in turns[2]["error"]
    assert "unchecked" in turns[3]["reason"]


def test_nothing_to_say_is_no_failure(talk: Talk) -> None:
    assert talk("", *QUOTING)[:2] == (0, "")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--sources", "no-such-folder"], "there is no file or folder"),
        (
            ["--search", "bing"],
            "local, drqa, dataset, tavily, google, brave, duckduckgo, wikipedia, searxng, arxiv, pubmed",
        ),
        (["--model", "gpt"], "openai:gpt-5-mini"),
        (["--model", "openai:gpt-5-mini"], "OPENAI_API_KEY"),
        (["--set", "policy=guess"], "policy"),
        (["--set", "utility=bleu"], "utility"),
        (["--set", "utility_threshold=2"], "utility_threshold"),
        (["--set", "review=true"], "review"),
        (["--backend", "feedback=chat"], "`feedback` has no backend"),
    ],
)
def test_bad_settings_are_one_clear_line_before_the_first_message(talk: Talk, arguments: list[str], said: str) -> None:
    code, out, err = talk(f"{MOON}\n", *arguments)
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert said in err


def test_at_a_terminal_ctrl_c_gives_up_the_line_and_ctrl_d_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    events: Iterator[BaseException | str] = iter([KeyboardInterrupt(), "Hello", EOFError()])

    def typed(prompt: str) -> str:
        event = next(events)
        if isinstance(event, BaseException):
            raise event
        return event

    monkeypatch.setattr("builtins.input", typed)
    err = Console(stderr=True)
    assert list(chat.typed(err)) == ["Hello"]


def test_what_a_run_raises_is_shown(talk: Talk, monkeypatch: pytest.MonkeyPatch) -> None:
    async def gone(*_: Any, **__: Any) -> Any:
        raise ConfigurationError("the folder is gone: bring it back")

    monkeypatch.setattr(Run, "start", gone)
    code, out, _ = talk(f"{MOON}\n", *QUOTING)
    assert (code, out) == (1, "error: the folder is gone: bring it back\n")
