"""What the benchmarks share: a stub in a process of its own, timing, and a table of figures beside their targets."""

import asyncio
import json
import multiprocessing
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from multiprocessing.connection import Connection
from statistics import median

from rich.console import Console
from rich.table import Table

from .stub import Answer, Stub

LATENCY = 0.1
"""Seconds that every model call, search, page and score takes."""
TIMES = 5
"""Runs of which the median is reported."""
ITEMS = 8
"""Runs that are begun at once, to see how many times as fast that is."""

Once = Callable[[], Awaitable[None]]


@dataclass
class Figure:
    """One line of the report."""

    what: str
    value: float
    unit: str
    calls: float | None = None
    """Model calls in a run."""
    most: float | None = None
    least: float | None = None

    @property
    def met(self) -> bool | None:
        """Whether the target is met; None where there is none."""
        if self.most is None and self.least is None:
            return None
        return (self.most is None or self.value <= self.most) and (self.least is None or self.value >= self.least)


@dataclass
class Elsewhere:
    """A stub in a process of its own, as a real server would be: its work is not ours."""

    origin: str
    pipe: Connection

    def asked(self) -> int:
        """Model calls so far, those that were given up included."""
        self.pipe.send("asked")
        return int(self.pipe.recv())


@contextmanager
def stub(brain: Answer, pages: Callable[[str], str | None]) -> Iterator[Elsewhere]:
    """A stub that thinks with `brain` and serves `pages`, both functions of a module."""
    ours, theirs = multiprocessing.Pipe()
    process = multiprocessing.get_context("spawn").Process(target=_serve, args=(theirs, brain, pages), daemon=True)
    process.start()
    try:
        yield Elsewhere(ours.recv(), ours)
    finally:
        ours.send("stop")
        process.join()


def _serve(pipe: Connection, brain: Answer, pages: Callable[[str], str | None]) -> None:
    with Stub(brain, LATENCY, pages, LATENCY) as stub:
        pipe.send(stub.origin)
        while pipe.recv() == "asked":
            pipe.send(len(stub.asks))


def process(*arguments: str) -> float:
    """Seconds that a Python process takes."""
    times: list[float] = []
    for _ in range(TIMES):
        with timed(times):
            subprocess.run([sys.executable, *arguments], check=True, stdout=subprocess.DEVNULL)
    return median(times)


def no_pages(path: str) -> None:
    """The pages of a stub that serves none."""


@contextmanager
def timed(times: list[float]) -> Iterator[None]:
    """Add the seconds that the block takes."""
    started = time.perf_counter()
    yield
    times.append(time.perf_counter() - started)


async def in_waits(what: str, server: Elsewhere, once: Once, depth: int) -> Figure:
    """The time of one run beside that of the waits that follow from each other, and a quarter more."""
    await once()
    times: list[float] = []
    calls: list[int] = []
    for _ in range(TIMES):
        before = server.asked()
        with timed(times):
            await once()
        calls.append(server.asked() - before)
    return Figure(f"{what} ({depth} waits)", median(times), "s", median(calls), most=depth * LATENCY * 1.25)


async def throughput(what: str, once: Once) -> list[Figure]:
    """How much sooner several runs end that are begun at once."""
    times: list[float] = []
    with timed(times):
        for _ in range(ITEMS):
            await once()
    with timed(times):
        await asyncio.gather(*(once() for _ in range(ITEMS)))
    alone, together = times
    return [
        Figure(f"{what}: {ITEMS} one after another", alone, "s"),
        Figure(f"{what}: {ITEMS} at once", together, "s"),
        Figure(f"{what}: times as fast", alone / together, "x", least=6.0),
    ]


def report(figures: Sequence[Figure], title: str, *, as_json: bool) -> None:
    """Print the figures, for a person or for a machine."""
    if as_json:
        print(json.dumps([{**asdict(figure), "met": figure.met} for figure in figures], indent=2))
    else:
        Console(width=None if sys.stdout.isatty() else 110).print(_table(figures, title))


def _table(figures: Sequence[Figure], title: str) -> Table:
    table = Table(title=f"{title}, with {LATENCY * 1_000:.0f} ms for every wait")
    table.add_column("", no_wrap=True)
    for name in ("figure", "target", "calls"):
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column("", no_wrap=True)
    for figure in figures:
        target = (
            f"≤ {figure.most:g}"
            if figure.most is not None
            else f"≥ {figure.least:g}"
            if figure.least is not None
            else ""
        )
        verdict = {True: "[green]pass[/]", False: "[red]miss[/]", None: ""}[figure.met]
        calls = "" if figure.calls is None else f"{figure.calls:g}"
        table.add_row(
            figure.what, f"{figure.value:.2f} {figure.unit}", target and f"{target} {figure.unit}", calls, verdict
        )
    return table
