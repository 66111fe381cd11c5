"""What is opened once per event loop, such as a pool of connections, and closed with it."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Hashable
from contextlib import AsyncExitStack
from typing import Any, TypeVar

T = TypeVar("T")

_of_loop: dict[asyncio.AbstractEventLoop, dict[Hashable, tuple[AsyncGenerator[Any], asyncio.Future[Any]]]] = {}


async def once_per_loop(key: Hashable, make: Callable[[AsyncExitStack], Awaitable[T]]) -> T:
    """What `make` makes: once for all who ask for `key` on this event loop, also for those who ask meanwhile.

    Raises what making it raises; then the next to ask tries again.

    Args:
        make: Is given a stack; what it enters there is left when the loop ends.
    """
    for loop in [loop for loop in _of_loop if loop.is_closed()]:
        del _of_loop[loop]
    known = _of_loop.setdefault(asyncio.get_running_loop(), {})
    if key not in known:
        kept = _kept(make)
        known[key] = kept, asyncio.ensure_future(anext(kept))
    making = known[key][1]
    try:
        resource: T = await asyncio.shield(making)
    except Exception:
        known.pop(key, None)
        raise
    return resource


async def _kept(make: Callable[[AsyncExitStack], Awaitable[T]]) -> AsyncGenerator[T]:
    """A generator, because asyncio ends the generators of a loop before it closes the loop."""
    async with AsyncExitStack() as stack:
        yield await make(stack)
