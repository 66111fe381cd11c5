"""Counting what a step uses, wherever inside the step it is used.

A step opens a meter; everything that it awaits adds to it, including tasks gathered in parallel. The meter travels in a
context variable that LangChain knows, so it sees every model call, even in a caller's own Runnable.
"""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, cast

from langchain_core.callbacks import BaseCallbackHandler
from langchain_core.messages import AIMessage
from langchain_core.outputs import ChatGeneration, LLMResult
from langchain_core.tracers.context import register_configure_hook

from ..context import Context
from ..records import Usage

MOST_TOKENS = 100_000_000
"""More than any model reads or writes in one call. A server that reports more is mistaken."""

Interval = list[float]
"""[start, end] in seconds since the epoch: JSON-like, and comparable after a restart."""

NOTHING: Usage = {
    "llm_calls": 0,
    "input_tokens": 0,
    "output_tokens": 0,
    "reasoning_tokens": 0,
    "repairs": 0,
    "searches": 0,
    "tool_runs": 0,
    "seconds": 0.0,
}


class Meter(BaseCallbackHandler):
    """Adds up what is spent while it is open."""

    run_inline = True

    def __init__(self) -> None:
        self.spent: dict[str, float] = {}

    def add(self, **amounts: float) -> None:
        """Add amounts, such as `llm_calls=1`."""
        for name, amount in amounts.items():
            self.spent[name] = self.spent.get(name, 0) + amount

    def on_llm_end(self, response: LLMResult, **kwargs: Any) -> None:
        """Count an answered request and the tokens that the model reports for it."""
        self.add(llm_calls=1)
        for generation in (first for group in response.generations for first in group[:1]):
            message = generation.message if isinstance(generation, ChatGeneration) else None
            if isinstance(message, AIMessage):
                self.add(**tokens_of(message))


def tokens_of(reply: AIMessage) -> dict[str, int]:
    """The tokens that a server reports for a reply, by their names in `Usage`. What cannot be a count is left out."""
    usage: dict[str, Any] = dict(reply.usage_metadata or {})
    reported = {
        "input_tokens": usage.get("input_tokens"),
        "output_tokens": usage.get("output_tokens"),
        "reasoning_tokens": (usage.get("output_token_details") or {}).get("reasoning") or None,
        "cached_tokens": (usage.get("input_token_details") or {}).get("cache_read") or None,
    }
    return {
        name: int(count)
        for name, count in reported.items()
        if isinstance(count, int | float) and 0 <= count <= MOST_TOKENS
    }


_meter: ContextVar[Meter | None] = ContextVar("errata_meter", default=None)
register_configure_hook(_meter, inheritable=True)


@contextmanager
def metered() -> Iterator[Meter]:
    """Open a meter for the block; its counts are complete when the block ends."""
    meter = Meter()
    token = _meter.set(meter)
    try:
        yield meter
    finally:
        _meter.reset(token)


def spend(**amounts: float) -> None:
    """Add to the open meter, if there is one: `spend(searches=1)`."""
    if meter := _meter.get():
        meter.add(**amounts)


def add_usage(total: Usage | None, amounts: dict[str, float]) -> Usage:
    """Reducer for a `usage` field: counts add up."""
    sums: dict[str, Any] = {**NOTHING, **(total or {})}
    return cast(Usage, sums | {name: sums.get(name, 0) + amount for name, amount in amounts.items()})


def cost(used: Usage, context: Context) -> float | None:
    """The cost of the tokens in US dollars; None if no price is known."""
    if context.input_price is None or context.output_price is None:
        return None
    dollars = used["input_tokens"] * context.input_price + used["output_tokens"] * context.output_price
    return round(dollars / 1_000_000, 6)


def add_interval(intervals: list[Interval] | None, new: list[Interval]) -> list[Interval]:
    """Reducer for a `worked` field: the union of intervals, so that overlapping steps count once."""
    union: list[Interval] = []
    for start, end in sorted([*(intervals or []), *new]):
        if union and start <= union[-1][1]:
            union[-1] = [union[-1][0], max(union[-1][1], end)]
        else:
            union.append([start, end])
    return union


def seconds(worked: list[Interval]) -> float:
    """The length of a union of intervals, in seconds."""
    return round(sum(end - start for start, end in worked), 3)


def stopwatch() -> Callable[[], Interval]:
    """Start measuring; the returned function gives the interval until now, even if the clock was set back meanwhile."""
    started, begun = time.time(), time.monotonic()
    return lambda: [started, started + time.monotonic() - begun]
