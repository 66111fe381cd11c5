"""Parsing untrusted documents in processes that are killed and replaced if they take too much: one pool for all.

Processes instead of threads, which cannot be stopped; started as plain programs instead of by `multiprocessing`, which
would run the caller's main module again; and none before something has to be parsed.
"""

import asyncio
import atexit
import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import CancelledError, Future, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from typing import Any, ParamSpec, TypeVar

from ...state.errors import ToolError
from ...state.locks import ProcessLock
from .documents import Unreadable
from .worker import MAX_REPLY, READY

P = ParamSpec("P")
T = TypeVar("T")

SECONDS = 10.0
"""Seconds of processor time for one document."""
MEMORY = 2**30
"""The most bytes of memory for one worker."""
WORKERS = max(2, min(4, len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 2))
PATIENCE = 60 if os.name == "posix" else 10
"""How many times its processor time a document may take by the clock: other programs go first."""
TICK = 0.25
"""Seconds between two looks at what is late."""
NICENESS = 5
"""By how much a worker gives way: the server that it reads for has others to answer meanwhile."""

_MAIN = (
    "import os, sys, json; getattr(os, 'nice', int)(int(sys.argv[3])); sys.path[:] = json.loads(sys.argv[1]); "
    "from {} import main; main(int(sys.argv[2]))"
)
_KEPT = ("PATH", "LANG", "LC_", "PYTHON", "TMPDIR", "LD_LIBRARY_PATH", "SYSTEMROOT")
"""Prefixes of the variables that a worker sees: no key is among them."""


class Worker:
    """A process that parses one document at a time. Raises ToolError if it does not start."""

    def __init__(self) -> None:
        path = json.dumps([place for place in sys.path if place])
        main = _MAIN.format(f"{__package__}.worker")
        try:
            self._process = subprocess.Popen(
                [sys.executable, "-P", "-W", "ignore", "-c", main, path, str(MEMORY), str(NICENESS)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                env={name: value for name, value in os.environ.items() if name.startswith(_KEPT)},
                process_group=0 if os.name == "posix" else None,  # Ctrl-C in a terminal is meant for the parent
            )
        except OSError as error:
            raise ToolError(f"the process that reads documents did not start: {error}") from error
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._calls, self._replies = self._process.stdin, self._process.stdout
        self.is_fresh, self._is_ready = True, False

    def ask(self, call: bytes, data: bytes) -> bytes:
        """The answer to a call; empty if the process ended before it answered.

        Raises:
            ToolError: If the process does not work at all.
        """
        if not self._is_ready and self._replies.readline() != READY:
            raise ToolError(f"the process that reads documents did not start (exit status {self.end()})")
        self._is_ready = True
        try:
            self._calls.write(call)
            self._calls.write(data)
            self._calls.flush()
        except OSError:
            return b""
        answer = self._replies.readline(MAX_REPLY + 1)
        if not answer.endswith(b"\n"):
            return b""
        self.is_fresh = False
        return answer

    def kill(self) -> None:
        """Kill the process without waiting for it."""
        self._process.kill()

    def end(self) -> int:
        """End the process if it is still running; returns its exit status."""
        with suppress(OSError):  # unwritten data
            self._calls.close()
        try:
            return self._process.wait(1)
        except subprocess.TimeoutExpired:
            self.kill()
            return self._process.wait()
        finally:
            self._replies.close()


class _Clock:
    """Stops calls that are late. One thread looks after all of them, and ends when there are none."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._due: dict[Callable[[], None], float] = {}
        self._is_watched = False

    @contextmanager
    def stops(self, stop: Callable[[], None], seconds: float) -> Iterator[None]:
        """Call `stop` if the block takes longer."""
        with self._lock:
            self._due[stop] = time.monotonic() + seconds
            if not self._is_watched:
                self._is_watched = True
                threading.Thread(target=self._watch, name="errata-parsing-clock", daemon=True).start()
        try:
            yield
        finally:
            with self._lock:
                self._due.pop(stop, None)

    def _watch(self) -> None:
        while True:
            time.sleep(TICK)
            with self._lock:
                late = [stop for stop, due in self._due.items() if due <= time.monotonic()]
                for stop in late:
                    del self._due[stop]
                goes_on = self._is_watched = bool(self._due)
            for stop in late:
                stop()
            if not goes_on:
                return


class _Pool:
    """Workers, with a thread for each that waits for it; more work than that stands in a row.

    The row is ours, and not the threads': an interpreter that exits carries out all that its threads were given.
    """

    def __init__(self) -> None:
        self.clock = _Clock()
        self.idle: list[Worker] = []
        self._threads = ThreadPoolExecutor(WORKERS, thread_name_prefix="errata-parsing")
        self._lock = threading.Lock()
        self._row: deque[tuple[Future[Any], Callable[[], Any]]] = deque()
        self._busy = 0

    def submit(self, work: Callable[[], Any]) -> "Future[Any]":
        """Carry work out as soon as a thread is free. Its future is cancelled if the interpreter exits before that."""
        future: Future[Any] = Future()
        self._row.append((future, work))
        self._start()
        return future

    def _start(self) -> None:
        """Give a free thread the first work in the row."""
        with self._lock:
            if self._busy == WORKERS or not self._row:
                return
            future, work = self._row.popleft()
            self._busy += 1
        try:
            self._threads.submit(self._carry_out, future, work)
        except RuntimeError:  # the interpreter exits
            future.cancel()
            while self._row:
                self._row.popleft()[0].cancel()

    def _carry_out(self, future: "Future[Any]", work: Callable[[], Any]) -> None:
        try:
            if future.set_running_or_notify_cancel():
                future.set_result(work())
        except BaseException as error:  # as executors do: it is the waiting thread's
            future.set_exception(error)
        with self._lock:
            self._busy -= 1
        self._start()

    def take(self) -> Worker:
        try:
            return self.idle.pop()
        except IndexError:
            return Worker()

    def close(self) -> None:
        while self.idle:
            self.idle.pop().end()


_starting = ProcessLock()
_pools: dict[int, _Pool] = {}
"""At most one set, under the id of the process that started it: workers do not survive a fork."""


def _pool() -> _Pool:
    with _starting:
        process = os.getpid()
        if process not in _pools:
            _pools[process] = _Pool()
            atexit.register(_close, process)
        return _pools[process]


def _close(process: int) -> None:
    if process == os.getpid():
        _pools[process].close()


class Parsing:
    """A call that waits for a worker, or runs on one; abandoning it stops the worker, too."""

    def __init__(self, function: Callable[..., Any], data: bytes, arguments: tuple[Any, ...], seconds: float) -> None:
        name = f"{function.__module__}:{function.__qualname__}"
        call = {"function": name, "arguments": arguments, "size": len(data), "seconds": seconds}
        self._call, self._data, self._seconds = json.dumps(call).encode() + b"\n", data, seconds
        self._lock = threading.Lock()
        self._worker: Worker | None = None
        self._is_late = self._is_given_up = False
        self._pool = _pool()
        self.future: Future[Any] = self._pool.submit(self._carry_out)

    def give_up(self) -> None:
        """Stop, whatever the state of the call."""
        self.future.cancel()
        with self._lock:
            self._is_given_up = True
            if self._worker:
                self._worker.kill()

    def _carry_out(self) -> Any:
        while True:
            with self._lock:
                if self._is_given_up:
                    raise CancelledError
                worker = self._worker = self._pool.take()
            # The system's limit counts processor time. This one is for a worker that neither computes nor ends.
            try:
                with self._pool.clock.stops(self._stop_late, self._seconds * PATIENCE):
                    answer = worker.ask(self._call, self._data)
            finally:
                with self._lock:
                    self._worker = None
            if answer and not (self._is_late or self._is_given_up):
                self._pool.idle.append(worker)
                return self._result(json.loads(answer.decode("utf-8", "surrogatepass")))
            self._see_why(worker.end(), worker.is_fresh)

    def _stop_late(self) -> None:
        with self._lock:
            if self._worker:
                self._is_late = True
                self._worker.kill()

    def _result(self, answer: dict[str, Any]) -> Any:
        if "unreadable" in answer:
            raise Unreadable(answer["unreadable"])
        if "lacks_memory" in answer:
            raise Unreadable(f"needed more than {MEMORY / 2**30:g} GB to read")
        if "too_long" in answer:
            raise Unreadable(f"more than {MAX_REPLY // 2**20} MB of text in it")
        return answer["result"]

    def _see_why(self, status: int, is_fresh: bool) -> None:
        """Raise the reason why a worker ended.

        Returns if another one should be tried: the worker exited by itself, or died before the call.
        """
        if self._is_given_up:
            raise CancelledError
        if self._is_late or status == -getattr(signal, "SIGPROF", 0):
            raise Unreadable(f"took more than {self._seconds:g} s to read")
        if is_fresh:
            raise Unreadable("crashed its reader")


class _Caller:
    """A thread that waits for documents."""

    def __init__(self) -> None:
        self.is_gone = False
        self.waits_for: deque[Parsing | Future[Any]] = deque()


_caller: ContextVar[_Caller | None] = ContextVar("_caller", default=None)


def call(function: Callable[..., Any], data: bytes, *arguments: Any, seconds: float = SECONDS) -> Any:
    """Run `function(data, *arguments)` on a worker and return its result.

    Args:
        function: A function at the top of a module that is quick to import. It returns plain values (a tuple becomes a
            list) or raises Unreadable.
        data: The untrusted document.
        arguments: Further arguments, plain values.
        seconds: The most seconds of processor time.

    Raises:
        Unreadable: With the reason, also if it took too much time or memory.
        ToolError: If no worker can be started.
    """
    (parsing,) = calls(function, [(data, *arguments)], seconds)
    return parsing.result()


async def acall(function: Callable[..., Any], data: bytes, *arguments: Any, seconds: float = SECONDS) -> Any:
    """As `call`, without blocking the event loop. If it is cancelled, the worker is stopped."""
    parsing = Parsing(function, data, arguments, seconds)
    try:
        return await asyncio.wrap_future(parsing.future)
    finally:
        parsing.give_up()


def calls(
    function: Callable[..., Any],
    each: Iterable[tuple[Any, ...]],
    seconds: float = SECONDS,
    is_harmless: Callable[..., bool] = lambda *_: False,
) -> Iterator["Future[Any]"]:
    """As `call` for each of many: returns their finished futures in order, running a few at a time.

    Args:
        function: As for `call`.
        each: The documents with their arguments.
        seconds: As for `call`.
        is_harmless: Says which documents are certain to be so quick that they are read in this process.
    """
    under_way: deque[Parsing | Future[Any]] = deque()
    caller = _caller.get() or _Caller()
    caller.waits_for = under_way
    try:
        for data, *arguments in each:
            if caller.is_gone:
                raise CancelledError
            harmless = is_harmless(data, *arguments)
            under_way.append(
                _done(function, data, *arguments) if harmless else Parsing(function, data, tuple(arguments), seconds)
            )
            if len(under_way) >= 2 * WORKERS:
                yield _waited(under_way)
        while under_way:
            yield _waited(under_way)
    finally:
        for parsing in under_way:
            if isinstance(parsing, Parsing):
                parsing.give_up()


async def in_thread(function: Callable[P, T], *arguments: P.args, **options: P.kwargs) -> T:
    """As `asyncio.to_thread`. If it is cancelled, the workers that the thread waits for are stopped, so it ends."""
    caller = _Caller()
    token = _caller.set(caller)
    try:
        return await asyncio.to_thread(function, *arguments, **options)
    except asyncio.CancelledError:
        caller.is_gone = True
        for parsing in [each for each in caller.waits_for if isinstance(each, Parsing)]:
            parsing.give_up()
        raise
    finally:
        _caller.reset(token)


def _waited(under_way: "deque[Parsing | Future[Any]]") -> "Future[Any]":
    first = under_way[0]
    future = first.future if isinstance(first, Parsing) else first
    future.exception()  # still among those that are abandoned if this is interrupted
    under_way.popleft()
    return future


def _done(function: Callable[..., Any], *arguments: Any) -> "Future[Any]":
    future: Future[Any] = Future()
    try:
        future.set_result(function(*arguments))
    except Unreadable as error:
        future.set_exception(error)
    return future
