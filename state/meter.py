"""Counting what a step uses, wherever inside the step it is used.

A node opens a meter; whatever it awaits, tasks gathered in parallel included, adds to the innermost open one. The
meter travels in a context variable, so neither tools nor task models need to be handed it.
"""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from .records import Usage

Interval = list[float]
"""[start, end] in seconds since the epoch."""

_meter: ContextVar[dict[str, Any] | None] = ContextVar("errata_meter", default=None)

NOTHING: Usage = {
    "llm_calls": 0,
    "input_tokens": 0,
    "output_tokens": 0,
    "searches": 0,
    "tool_runs": 0,
    "seconds": 0.0,
}


@contextmanager
def metered() -> Iterator[dict[str, Any]]:
    """Collect what is spent inside the block; the yielded counters are complete when it ends."""
    spent: dict[str, Any] = {}
    token = _meter.set(spent)
    try:
        yield spent
    finally:
        _meter.reset(token)


def spend(**amounts: float) -> None:
    """Add to the open meter, if there is one: `spend(llm_calls=1, input_tokens=230)`."""
    spent = _meter.get()
    if spent is not None:
        for name, amount in amounts.items():
            spent[name] = spent.get(name, 0) + amount


def add_usage(total: Usage | None, spent: dict[str, Any]) -> Usage:
    """Reducer for a `usage` field: counters add up."""
    total = total or NOTHING
    return {**total, **{name: total.get(name, 0) + amount for name, amount in spent.items()}}  # type: ignore[typeddict-item]


def add_interval(known: list[Interval] | None, new: list[Interval]) -> list[Interval]:
    """Reducer for a `worked` field: a union of intervals, so that steps that overlap count once."""
    union: list[Interval] = []
    for start, end in sorted([*(known or []), *new]):
        if union and start <= union[-1][1]:
            union[-1] = [union[-1][0], max(union[-1][1], end)]
        else:
            union.append([start, end])
    return union


def seconds(worked: list[Interval]) -> float:
    """Length of a union of intervals in seconds."""
    return round(sum(end - start for start, end in worked), 3)


now = time.time
