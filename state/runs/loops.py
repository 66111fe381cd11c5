"""What is opened once per event loop, such as a pool of connections, and shared by all who ask for it there.

It is closed with its loop, or before, where it has long not been used and others have.
"""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Hashable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from typing import Any, TypeVar

T = TypeVar("T")

MOST_UNUSED = 16
"""Things of one event loop that stay open while nobody uses them: the last ones used."""


@dataclass
class _Shared:
    opened: AsyncGenerator[Any]
    making: asyncio.Future[Any]
    users: int = 0


_of_loop: dict[asyncio.AbstractEventLoop, dict[Hashable, _Shared]] = {}
_closing: set[asyncio.Future[None]] = set()


@asynccontextmanager
async def shared(key: Hashable, make: Callable[[AsyncExitStack], Awaitable[T]]) -> AsyncIterator[T]:
    """Use what `make` makes: once for all who use `key` on this event loop, also for those who ask meanwhile.

    It stays open as long as anybody uses it. If making it fails, whoever waits for it gets the error, and the next to
    ask tries again.

    Args:
        key: What tells it from others.
        make: Is given a stack; what it enters there is left when the thing is closed.
    """
    for loop in [loop for loop in _of_loop if loop.is_closed()]:
        del _of_loop[loop]
    known = _of_loop.setdefault(asyncio.get_running_loop(), {})
    found = known.pop(key, None)
    if found is None:
        opened = _opened(make)
        found = _Shared(opened, asyncio.ensure_future(anext(opened)))
        found.making.add_done_callback(lambda done: _forget_failed(known, key, done))
    known[key] = found  # as the last one used
    found.users += 1
    try:
        yield await asyncio.shield(found.making)
    finally:
        found.users -= 1
        _close_unused(known)


def _forget_failed(known: dict[Hashable, _Shared], key: Hashable, done: asyncio.Future[Any]) -> None:
    if (done.cancelled() or done.exception()) and key in known and known[key].making is done:
        del known[key]


def _close_unused(known: dict[Hashable, _Shared]) -> None:
    unused = [key for key, each in known.items() if not each.users and each.making.done()]
    for key in unused[: max(len(unused) - MOST_UNUSED, 0)]:
        # Whoever asks for it from now on gets another one.
        closing = asyncio.ensure_future(known.pop(key).opened.aclose())
        _closing.add(closing)
        closing.add_done_callback(_closing.discard)


async def _opened(make: Callable[[AsyncExitStack], Awaitable[T]]) -> AsyncGenerator[T]:
    """A generator, because asyncio ends the generators of a loop before it closes the loop."""
    async with AsyncExitStack() as stack:
        yield await make(stack)
