"""The worker processes of Monty: one pool for the whole process, whichever event loops come and go."""

import asyncio
import atexit
import os
import threading
import time
from typing import TYPE_CHECKING

from ...state.errors import ConfigurationError
from .execution import SandboxError

if TYPE_CHECKING:
    from pydantic_monty import AsyncMonty

WAIT = 120.0
"""Seconds until a program that is waiting for a free worker gives up."""
GRACE = 0.5
"""Seconds beyond its limit after which a program that ignores the limit is killed with its worker."""

FAREWELL = 0.05
"""Seconds that a thread of the pool has to leave Python as the process ends."""

_starting = threading.Lock()
_pools: "dict[int, AsyncMonty]" = {}
"""At most one, under the id of the process that started it."""


async def worker_pool() -> "AsyncMonty":
    """The pool, started on first use."""
    process = os.getpid()
    if _pools.keys() - {process}:
        # The threads that serve the workers were not copied by the fork: waiting for them would never end.
        raise ConfigurationError("monty was used before this process was forked: start processes by `spawn`")
    return _pools[process] if process in _pools else await asyncio.to_thread(_start)


def _start() -> "AsyncMonty":
    with _starting:
        process = os.getpid()
        if process not in _pools:
            _pools[process] = asyncio.run(_started())
            atexit.register(_close, process)
        return _pools[process]


async def _started() -> "AsyncMonty":
    try:
        from pydantic_monty import AsyncMonty

        return await AsyncMonty(
            checkout_timeout=WAIT, feed_duration_limit_grace=GRACE, turn_duration_limit_grace=GRACE
        ).__aenter__()
    except (ImportError, FileNotFoundError) as error:
        raise ConfigurationError("monty, which runs programs, is missing: pip install pydantic-monty") from error
    except OSError as error:
        raise SandboxError(f"the workers of monty did not start: {error}") from error


def _close(process: int) -> None:
    if process == os.getpid():
        asyncio.run(_closed(_pools.pop(process)))
        # The thread that reported it is still leaving Python. If the interpreter ends first, it aborts.
        time.sleep(FAREWELL)


async def _closed(pool: "AsyncMonty") -> None:
    await pool.__aexit__(None, None, None)
