"""How the tests run the programs of this room."""

import sys
from collections.abc import Callable
from typing import Any

import click
import pytest

from errata.apps.program import carry_out

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """Run a program in this process; returns exit code, standard output and standard error."""

    def run(program: click.Command, *arguments: Any) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["measure", *map(str, arguments)])
        with pytest.raises(SystemExit) as left:
            carry_out(program)
        out, err = capsys.readouterr()
        return int(left.value.code or 0), out, err

    monkeypatch.setenv("COLUMNS", "160")
    return run
