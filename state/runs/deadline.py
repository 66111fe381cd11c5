"""The deadline of a run: the time that its steps may work, and a limit on everything they wait for."""

import asyncio
import math
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TypeVar

from ..errors import ModelError, ToolError

T = TypeVar("T")

PASSED = "the deadline of the run has passed"

_until: ContextVar[float] = ContextVar("errata_deadline", default=math.inf)


class DeadlinePassed(ModelError, ToolError):
    """A model or a tool was abandoned, or not called, because the deadline has passed."""


@contextmanager
def deadline_in(seconds: float) -> Iterator[None]:
    """Limit the block to this many seconds, or to an outer deadline if that is earlier."""
    token = _until.set(min(_until.get(), time.monotonic() + seconds))
    try:
        yield
    finally:
        _until.reset(token)


def has_passed() -> bool:
    """Whether the current deadline has passed."""
    return time.monotonic() >= _until.get()


async def in_time(work: Callable[[], Awaitable[T]]) -> T:
    """Await work, but not beyond the deadline.

    Raises:
        DeadlinePassed: If it has passed, or passes meanwhile.
    """
    remaining = _until.get() - time.monotonic()
    if remaining <= 0:
        raise DeadlinePassed(PASSED)
    try:
        async with asyncio.timeout(None if remaining == math.inf else remaining) as bound:
            return await work()
    except TimeoutError:
        if bound.expired():
            raise DeadlinePassed(PASSED) from None
        raise
