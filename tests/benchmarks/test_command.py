"""`python -m benchmarks --check` fails if our own work has grown, and says where."""

from typing import Any

import pytest
from click.testing import CliRunner

from benchmarks import own
from benchmarks.command import METHODS, main


def measured(times: float, calls: float = 1.0) -> Any:
    return lambda method: own.Own(
        method=method,
        nodes=12,
        node=0.6,
        times_empty=times * own.TIMES_EMPTY[method],
        most=own.SLACK * own.TIMES_EMPTY[method],
        calls=calls * own.CALLS_EMPTY[method],
        most_calls=own.CALLS_SLACK * own.CALLS_EMPTY[method],
    )


@pytest.mark.parametrize(
    ("times", "calls", "code"), [(1.0, 1.0, 0), (1.3, 1.0, 0), (1.6, 1.0, 1), (1.0, 1.09, 0), (1.0, 1.11, 1)]
)
def test_what_has_become_slower_fails(times: float, calls: float, code: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(own, "own", measured(times, calls))
    result = CliRunner().invoke(main, ["--check"])
    assert result.exit_code == code
    for method in METHODS:
        assert (f"a node of {method}" in result.output) is bool(code)


def test_one_slow_try_is_not_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    tries = iter([2.0, 1.8, 1.1])
    monkeypatch.setattr(own, "own", lambda method: measured(next(tries))(method))
    assert own.quickest("rarr")["times_empty"] < own.SLACK * own.TIMES_EMPTY["rarr"]


def test_the_calls_of_a_node_are_counted_alike() -> None:
    one, other = own.own("llm_augmenter"), own.own("llm_augmenter")
    assert one["calls"] == pytest.approx(other["calls"], rel=0.01)
    assert not own.is_slower({**one, "times_empty": 0.0})


def test_what_cannot_be_checked_is_said() -> None:
    result = CliRunner().invoke(main, ["--check", "rows"])
    assert result.exit_code == 2
    assert "rows cannot be checked; nodes and peers can" in result.output
