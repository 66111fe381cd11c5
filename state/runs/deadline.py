"""The deadline of a run: the time that its steps may work, and a bound on whatever they wait for."""

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
    """What a model or a tool was given up for, or not asked any more."""


@contextmanager
def deadline_in(seconds: float) -> Iterator[None]:
    """Give what is done in the block so many seconds, or less where it is a part of something that has less."""
    token = _until.set(min(_until.get(), time.monotonic() + seconds))
    try:
        yield
    finally:
        _until.reset(token)


def has_passed() -> bool:
    """Whether the deadline of what is under way has passed."""
    return time.monotonic() >= _until.get()


async def in_time(work: Callable[[], Awaitable[T]]) -> T:
    """Do a piece of work, but not beyond the deadline.

    Raises:
        DeadlinePassed: If it has passed, or passes meanwhile.
    """
    left = _until.get() - time.monotonic()
    if left <= 0:
        raise DeadlinePassed(PASSED)
    try:
        async with asyncio.timeout(None if left == math.inf else left) as bound:
            return await work()
    except TimeoutError:
        if bound.expired():
            raise DeadlinePassed(PASSED) from None
        raise
