"""Work that may take long, apart from the event loop; at once if there is little of it."""

import asyncio
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

T = TypeVar("T")

AT_HAND = 3_000
"""The most characters that are read on the event loop, which takes some milliseconds."""


async def apart(work: Callable[[], T], *read: Any) -> T:
    """Do some work in a thread, so that it blocks nothing else.

    If there is little to read, it is done at once: starting a thread would take longer than the work.

    Args:
        work: The work.
        read: What it reads: texts, and mappings and sequences of texts.
    """
    return work() if _chars(read) <= AT_HAND else await asyncio.to_thread(work)


def _chars(value: Any) -> int:
    if isinstance(value, str):
        return len(value)
    if isinstance(value, Mapping):
        return sum(map(_chars, value.values()))
    return sum(map(_chars, value)) if isinstance(value, list | tuple) else 0
