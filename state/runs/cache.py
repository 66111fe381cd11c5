"""Caches on disk, and one rule for their use: equal requests made at the same time are run once."""

import asyncio
import os
import sqlite3
from collections.abc import Awaitable, Callable, Hashable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, TypeVar

T = TypeVar("T")

DAY = 24 * 60 * 60
RESULTS_SIZE = 256 * 2**20
REPLIES_SIZE = 2**30
LARGEST = 2**28
"""The most bytes of one value."""
FORMAT = "1"
"""Changed whenever the form of stored values changes, so that an old cache is not misread."""

# sqlite needs each connection to stay in one thread, and none of this may block an event loop.
_disk_thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="errata-cache")
_flights: dict[Hashable, "_Flight"] = {}


@dataclass(frozen=True)
class Shelf:
    """A place on disk for values that may be used again.

    Attributes:
        folder: The folder, created on first use.
        size: The most bytes; the oldest values are removed first.
        seconds: How long a value is kept; None for as long as there is room.
    """

    folder: Path
    size: int = REPLIES_SIZE
    seconds: int | None = None

    async def get(self, key: str) -> Any | None:
        """The stored value, or None."""
        return await asyncio.get_running_loop().run_in_executor(_disk_thread, self._do, "get", key)

    async def put(self, key: str, value: Any) -> None:
        """Store a JSON-like value. If the disk does not accept it, nothing happens."""
        await asyncio.get_running_loop().run_in_executor(_disk_thread, self._do, "set", key, value, self.seconds)

    async def drop(self, key: str) -> None:
        """Remove a value, if it is there."""
        await asyncio.get_running_loop().run_in_executor(_disk_thread, self._do, "delete", key)

    def _do(self, operation: str, *arguments: Any) -> Any:
        cache = disk_cache(self.folder, self.size)
        if cache is not None:
            with suppress(*broken()):
                return getattr(cache, operation)(*arguments)
        return None


def cache_folder() -> Path:
    """The folder for everything that can be recreated: ERRATA_CACHE_DIR, or the platform's cache folder."""
    import platformdirs

    return Path(os.environ.get("ERRATA_CACHE_DIR") or platformdirs.user_cache_dir("errata", appauthor=False))


def results() -> Shelf:
    """Where the results of tools are stored for a day."""
    return Shelf(cache_folder() / "results", RESULTS_SIZE, DAY)


async def remembered(key: str, make: Callable[[], Awaitable[T]], *, on_disk: bool) -> T:
    """The result of `make`: from disk if stored, otherwise made once for all who ask for `key` at the same time.

    Errors are raised to everyone who waits and are never stored.

    Args:
        key: What identifies the result.
        make: Makes it.
        on_disk: Whether it is stored on disk for later runs; it must be JSON-like then.
    """
    name = (asyncio.get_running_loop(), key)
    flight = _flights.get(name)
    if flight is None or flight.task.done():
        flight = _flights[name] = _Flight(asyncio.create_task(_look_up_or_make(key, make, on_disk)))
    flight.waiting += 1
    try:
        value: T = await asyncio.shield(flight.task)
        return value
    finally:
        flight.waiting -= 1
        if not flight.waiting:
            if _flights.get(name) is flight:
                del _flights[name]
            flight.task.cancel()  # does nothing if it is done


@dataclass
class _Flight:
    """Work in progress, and how many wait for it: it continues as long as anyone does."""

    task: "asyncio.Task[Any]"
    waiting: int = 0


async def _look_up_or_make(key: str, make: Callable[[], Awaitable[T]], on_disk: bool) -> T:
    if not on_disk:
        return await make()
    shelf = results()
    stored = await shelf.get(key)
    if isinstance(stored, dict) and "value" in stored:
        result: T = stored["value"]
        return result
    value = await make()
    await shelf.put(key, {"value": value})
    return value


def broken() -> tuple[type[Exception], ...]:
    """What a damaged, full or locked cache raises. None of it may disturb a run."""
    import zlib

    import diskcache

    return (OSError, sqlite3.Error, diskcache.Timeout, zlib.error, ValueError, TypeError, KeyError)


@lru_cache(maxsize=8)
def disk_cache(folder: Path, size: int) -> Any | None:
    """A cache of at most `size` bytes with JSON keys and values; None if the folder cannot be used."""
    import diskcache

    class JsonOnly(diskcache.JSONDisk):  # type: ignore[misc]
        """Also refuses to read a pickle that somebody else put there."""

        def fetch(self, mode: int, filename: str, value: Any, read: bool) -> Any:
            if mode == diskcache.core.MODE_PICKLE:
                raise ValueError("a pickle in the cache")
            return super().fetch(mode, filename, value, read)

    folder = folder.with_name(f"{folder.name}-{FORMAT}")
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        if hasattr(os, "getuid") and folder.stat().st_uid != os.getuid():
            return None  # its owner can read what we store there, and store what they like
        folder.chmod(0o700)
        # SQLite gives the files beside its own the same mode; larger values would be in separate files.
        os.close(os.open(folder / diskcache.core.DBNAME, os.O_CREAT | os.O_RDWR, 0o600))
        return diskcache.Cache(str(folder), disk=JsonOnly, size_limit=size, timeout=5, disk_min_file_size=LARGEST)
    except broken():
        return None
