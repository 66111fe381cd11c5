"""Things that are opened once per event loop, such as a connection pool, and shared by everyone on that loop.

They are closed with the loop, or earlier if they have long been unused and others have been used since.
"""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Hashable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from typing import Any, TypeVar

T = TypeVar("T")

MOST_UNUSED = 16
"""How many unused things of one event loop stay open: the last ones used."""


@dataclass
class _Shared:
    opened: AsyncGenerator[Any]
    making: asyncio.Future[Any]
    users: int = 0


_of_loop: dict[asyncio.AbstractEventLoop, dict[Hashable, _Shared]] = {}
_closing: set[asyncio.Future[None]] = set()


@asynccontextmanager
async def shared(key: Hashable, make: Callable[[AsyncExitStack], Awaitable[T]]) -> AsyncIterator[T]:
    """Use the result of `make`: made once for everyone who uses `key` on this event loop at the same time.

    It stays open as long as anybody uses it. If making it fails, everyone who waits for it gets the error, and the next
    caller tries again.

    Args:
        key: What identifies it.
        make: Gets a stack; what it enters there is exited when the thing is closed.
    """
    for loop in [loop for loop in _of_loop if loop.is_closed()]:
        del _of_loop[loop]
    entries = _of_loop.setdefault(asyncio.get_running_loop(), {})
    entry = entries.pop(key, None)
    if entry is None:
        resource = _opened(make)
        entry = _Shared(resource, asyncio.ensure_future(anext(resource)))
        entry.making.add_done_callback(lambda future: _forget_failed(entries, key, future))
    entries[key] = entry  # as the last one used
    entry.users += 1
    try:
        yield await asyncio.shield(entry.making)
    finally:
        entry.users -= 1
        _close_unused(entries)


def _forget_failed(entries: dict[Hashable, _Shared], key: Hashable, future: asyncio.Future[Any]) -> None:
    if (future.cancelled() or future.exception()) and key in entries and entries[key].making is future:
        del entries[key]


def _close_unused(entries: dict[Hashable, _Shared]) -> None:
    unused = [key for key, entry in entries.items() if not entry.users and entry.making.done()]
    for key in unused[: max(len(unused) - MOST_UNUSED, 0)]:
        # Whoever asks for it from now on gets another one.
        closing = asyncio.ensure_future(entries.pop(key).opened.aclose())
        _closing.add(closing)
        closing.add_done_callback(_closing.discard)


async def _opened(make: Callable[[AsyncExitStack], Awaitable[T]]) -> AsyncGenerator[T]:
    """A generator, because asyncio ends the generators of a loop before it closes the loop."""
    async with AsyncExitStack() as stack:
        yield await make(stack)
