"""The conversation as a person meets it, through a pipe."""

import io
import sys
from collections.abc import Callable, Iterator

import pytest
from rich.console import Console

from errata.apps.cli import conversation as chat

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
