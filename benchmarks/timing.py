"""What the benchmarks share: a stub in a process of its own, the clock, and memory."""

import multiprocessing
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from multiprocessing.connection import Connection
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple, TypeVar

from .stub import Answer, Stub
from .waits import Wait

T = TypeVar("T")
Pages = Callable[[str], str | None]

LATENCY = 0.1
"""Seconds that every model call, search, page and score takes."""
TIMES = 3
"""Runs of which the median is reported."""


@dataclass
class Elsewhere:
    """A stub in a process of its own, as a real server would be: its work is not ours."""

    pipe: Connection

    @cached_property
    def origin(self) -> str:
        """Where it is. It starts on its own; whoever asks waits until it has."""
        return str(self.pipe.recv())

    def visits(self) -> tuple[int, list[Wait]]:
        """Model calls since this was last asked, those that were given up included; and when it kept whom waiting."""
        self.pipe.send("visits")
        calls, waits = self.pipe.recv()
        return calls, waits


@contextmanager
def stub(brain: Answer, pages: Pages) -> Iterator[Elsewhere]:
    """A stub that thinks with `brain` and serves `pages`, both functions of a module."""
    ours, theirs = multiprocessing.Pipe()
    process = multiprocessing.get_context("spawn").Process(target=_serve, args=(theirs, brain, pages), daemon=True)
    process.start()
    try:
        yield Elsewhere(ours)
    finally:
        ours.send("stop")
        process.join()


def _serve(pipe: Connection, brain: Answer, pages: Pages) -> None:
    with Stub(brain, LATENCY, pages, LATENCY) as stub:
        pipe.send(stub.origin)
        while pipe.recv() == "visits":
            waits = [(visit.began, visit.ended) for visit in stub.visits if visit.ended]
            pipe.send((len(stub.asks), waits))
            stub.forget()


def no_pages(path: str) -> None:
    """The pages of a stub that serves none."""


def alone(work: Callable[..., T], *arguments: Any) -> T:
    """Do the work, a function of a module, in a process of its own, so that its memory is its own, too."""
    with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as process:
        return process.submit(work, *arguments).result()


class Memory(NamedTuple):
    """Megabytes of memory of this process."""

    now: float
    peak: float


def memory() -> Memory:
    """How much this process has, and has had at most. Raises OSError where the system does not tell as Linux does."""
    lines = Path("/proc/self/status").read_text("ascii").splitlines()
    told = dict(line.split(":", 1) for line in lines)
    now, peak = (int(told[name].split()[0]) * 1024 / 1e6 for name in ("VmRSS", "VmHWM"))
    return Memory(now, peak)


def process(*arguments: str) -> float:
    """Seconds that a Python process takes, the median of some. One comes before them, which leaves compiled modules."""
    times: list[float] = []
    for _ in range(1 + TIMES):
        with timed(times):
            subprocess.run([sys.executable, *arguments], check=True, stdout=subprocess.DEVNULL)
    return median(times[1:])


@contextmanager
def timed(times: list[float]) -> Iterator[None]:
    """Add the seconds that the block takes."""
    started = time.perf_counter()
    yield
    times.append(time.perf_counter() - started)


async def seconds(work: Awaitable[Any]) -> float:
    """How long it takes."""
    return (await timed_result(work))[0]


async def timed_result(work: Awaitable[T]) -> tuple[float, T]:
    """How long it takes, and what comes of it."""
    started = time.perf_counter()
    result = await work
    return time.perf_counter() - started, result
