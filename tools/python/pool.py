"""The worker processes of Monty: one pool for the whole process, whichever event loops come and go."""

import asyncio
import atexit
import os
import shlex
import time
from contextlib import suppress
from typing import TYPE_CHECKING

from ...state.errors import ConfigurationError
from ...state.locks import ProcessLock
from .execution import SandboxError

if TYPE_CHECKING:
    from pydantic_monty import AsyncMonty

WAIT = 120.0
"""Seconds until a program that is waiting for a free worker gives up."""
GRACE = 0.5
"""Seconds beyond its limit after which a program that ignores the limit is killed with its worker."""

FAREWELL = 0.05
"""Seconds that a thread of the pool has to leave Python as the process ends."""

_starting = ProcessLock()
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
        from pydantic_monty._binary import find_monty_binary

        def pool(binary: str) -> "AsyncMonty":
            return AsyncMonty(
                binary_path=binary,
                checkout_timeout=WAIT,
                feed_duration_limit_grace=GRACE,
                turn_duration_limit_grace=GRACE,
            )

        binary = find_monty_binary()
        with suppress(OSError, RuntimeError):
            return await pool(silenced(binary)).__aenter__()
        return await pool(binary).__aenter__()
    except (ImportError, FileNotFoundError) as error:
        raise ConfigurationError("monty, which runs programs, is missing: pip install pydantic-monty") from error
    except (OSError, RuntimeError) as error:
        raise SandboxError(f"the workers of monty did not start: {error}") from error


def silenced(binary: str) -> str:
    """A program that runs another without standard error, as a path that lives as long as this process.

    A worker inherits ours, and says there why it dies, which the error that we get says already. Its environment is
    empty, so a file has to name the program: one in memory leaves nothing behind.

    Raises:
        OSError: If this system has no such files, or runs none.
    """
    if not hasattr(os, "memfd_create"):
        raise OSError("no files in memory")
    writable = os.memfd_create("monty")
    os.write(writable, f'#!/bin/sh\nexec {shlex.quote(binary)} "$@" 2>/dev/null\n'.encode())
    # What is open for writing cannot be run.
    readable = os.open(f"/proc/self/fd/{writable}", os.O_RDONLY)
    os.close(writable)
    return f"/proc/{os.getpid()}/fd/{readable}"


def _close(process: int) -> None:
    if process == os.getpid():
        asyncio.run(_closed(_pools.pop(process)))
        # The thread that reported it is still leaving Python. If the interpreter ends first, it aborts.
        time.sleep(FAREWELL)


async def _closed(pool: "AsyncMonty") -> None:
    await pool.__aexit__(None, None, None)
