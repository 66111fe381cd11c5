"""A lock that survives a fork."""

import os
import threading
from types import TracebackType
from weakref import WeakSet


class ProcessLock:
    """A lock that is open at the beginning of a process that is forked off, even if another thread held it then.

    That thread is not copied, so that it could never release it.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        _locks.add(self)

    def acquire(self, blocking: bool = True) -> bool:
        """Take the lock; False if it is taken and nobody wants to wait."""
        return self._lock.acquire(blocking)

    def release(self) -> None:
        """Give the lock back."""
        self._lock.release()

    def __enter__(self) -> None:
        self._lock.acquire()

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._lock.release()

    def _open(self) -> None:
        self._lock = threading.Lock()


_locks: "WeakSet[ProcessLock]" = WeakSet()


def _open_all() -> None:
    for lock in list(_locks):
        lock._open()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_open_all)
