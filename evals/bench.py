"""How long RARR takes, beside what it should take: `python -m errata.evals.bench [--json]`.

A loopback server stands in for model and web. Every model call, search and page takes 100 ms, so what goes beyond the
waits that a method needs is our own.
"""

import argparse
import asyncio
import json
import multiprocessing
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from importlib.util import find_spec
from itertools import count
from multiprocessing.connection import Connection
from typing import Any

from langchain_core.runnables import RunnableLambda
from rich.console import Console
from rich.table import Table

from ..graphs import rarr
from ..state import Context
from . import scripted
from .stub import Answer, Stub

LATENCY = 0.1
TIMES = 5
"""Runs of which the median is reported; one more comes before them, unmeasured, that loads and connects."""
CLAIMS = 50

Case = tuple[int, tuple[int, ...]]
"""How many claims, and which of them are wrong."""

_editions = count()


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


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--json", action="store_true", help="print the figures as JSON")
    as_json = options.parse_args().json
    figures = [*asyncio.run(_runs()), *_processes()]
    if as_json:
        print(json.dumps([{**asdict(figure), "met": figure.met} for figure in figures], indent=2))
    else:
        Console().print(table(figures, f"RARR with {LATENCY * 1_000:.0f} ms for every model call, search and page"))


async def _runs() -> list[Figure]:
    with stub(scripted.brain) as elsewhere:
        started = time.perf_counter()
        await _correct(elsewhere, 4, (2, 3))
        first = Figure("a  first run of a process, speculative", time.perf_counter() - started, "s")
        small: Case = (4, (2, 3))
        figures = [
            first,
            await _median("a  4 questions, 2 edits, serial", 1.1, elsewhere, small, gating="serial"),
            await _median("a  4 questions, 2 edits, speculative", 0.95, elsewhere, small),
            await _median("a  4 questions, 2 edits, with edits", 0.75, elsewhere, small, speculate_edits=True),
            await _median("b  12 questions, 3 edits, speculative", 1.3, elsewhere, (12, (2, 6, 10))),
            *await _throughput(elsewhere),
        ]
    return [*figures, await _overhead()]


async def _median(what: str, target: float, stub: "Elsewhere", case: Case, **settings: Any) -> Figure:
    await _correct(stub, *case, **settings)
    times: list[float] = []
    calls: list[int] = []
    for _ in range(TIMES):
        before = stub.asked()
        with timed(times):
            await _correct(stub, *case, **settings)
        calls.append(stub.asked() - before)
    return Figure(what, statistics.median(times), "s", statistics.median(calls), most=target)


async def _throughput(stub: "Elsewhere") -> list[Figure]:
    """Texts of one claim, every other one wrong: one after another, and all at once."""
    alone: list[float] = []
    before = stub.asked()
    with timed(alone):
        for tower in range(1, CLAIMS + 1):
            await _claim(stub, tower)
    figures = [Figure(f"c  {CLAIMS} claims one after another", alone[0], "s", stub.asked() - before)]
    figures += await _together(stub, "c  at once", alone[0], 12.0)
    # Other settings want other clients, so a timeout that was not used before shows what making them costs.
    figures += await _together(stub, "c  at once, new clients", alone[0], None, timeout=59)
    return figures


async def _together(stub: "Elsewhere", what: str, alone: float, target: float | None, **settings: Any) -> list[Figure]:
    together: list[float] = []
    before = stub.asked()
    with timed(together):
        await asyncio.gather(*(_claim(stub, tower, **settings) for tower in range(1, CLAIMS + 1)))
    return [
        Figure(what, together[0], "s", stub.asked() - before),
        Figure(f"{what}: times as fast", alone / together[0], "x", least=target),
    ]


async def _claim(stub: "Elsewhere", tower: int, **settings: Any) -> None:
    await _correct(stub, 1, (tower,) if tower % 2 else (), first=tower, max_concurrency=64, **settings)


async def _correct(stub: "Elsewhere", claims: int, wrong: tuple[int, ...], first: int = 1, **settings: Any) -> None:
    context = Context(
        model="openai:stub",
        base_url=f"{stub.origin}/v1",
        search=scripted.TowerSearch(origin=stub.origin, latency=LATENCY, edition=str(next(_editions))),
        allow_private_addresses=True,
        cache=False,
        **settings,
    )
    result = await rarr.graph.ainvoke({"text": scripted.text(claims, wrong, first)}, context=context)
    if result["text"] != scripted.text(claims, first=first):
        raise RuntimeError(f"a wrong text came out, so its time means nothing: {result['reason']}")


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
def stub(brain: Answer) -> Iterator[Elsewhere]:
    """Run a stub whose model answers so, in a process of its own."""
    ours, theirs = multiprocessing.Pipe()
    running = multiprocessing.get_context("spawn").Process(target=_serve, args=(theirs, brain), daemon=True)
    running.start()
    try:
        yield Elsewhere(ours.recv(), ours)
    finally:
        ours.send("stop")
        running.join()


def _serve(pipe: Connection, brain: Answer) -> None:
    with Stub(brain, LATENCY, scripted.page, LATENCY) as stub:
        pipe.send(stub.origin)
        while pipe.recv() == "asked":
            pipe.send(len(stub.asks))


async def _overhead() -> Figure:
    """What a node costs when nothing that it asks for takes time."""
    queries = [f"What is fact {number}?" for number in range(12)]
    agreement = {"text_says": "", "evidence_says": "", "label": "entailment"}
    context = Context(
        cache=False,
        search=RunnableLambda(lambda query: f"This is about the query {query}"),
        makes={
            "queries": RunnableLambda(lambda _: {"queries": queries}),
            "rank": RunnableLambda(lambda task_input: {"scores": [1.0] * len(task_input["passages"])}),
            "agreement": RunnableLambda(lambda _: agreement),
        },
    )
    nodes = 0
    times: list[float] = []
    for _ in range(21):
        with timed(times):
            nodes = len(
                [part async for part in rarr.graph.astream({"text": "A fact."}, context=context, stream_mode="updates")]
            )
    return Figure(f"e  a node, of {nodes}, with no waits", statistics.median(times[1:]) / nodes * 1_000, "ms")


def _processes() -> Iterator[Figure]:
    """What a person waits for before anything happens."""
    yield Figure("f  import errata", process("-c", "import errata"), "s", most=0.5)
    if find_spec("errata.apps.cli"):
        script = "import sys; sys.argv = ['errata', '--help']; from errata.apps.cli import main; main()"
        yield Figure("f  errata --help", process("-c", script), "s", most=0.7)


def process(*arguments: str) -> float:
    """Median seconds of a process of Python, from start to end."""
    times: list[float] = []
    for _ in range(TIMES):
        with timed(times):
            subprocess.run([sys.executable, *arguments], check=True, stdout=subprocess.DEVNULL)
    return statistics.median(times)


@contextmanager
def timed(times: list[float]) -> Iterator[None]:
    """Add the seconds that the block takes."""
    started = time.perf_counter()
    yield
    times.append(time.perf_counter() - started)


def table(figures: list[Figure], title: str) -> Table:
    """The figures for people."""
    shown = Table(title=title)
    shown.add_column("", no_wrap=True)
    for name in ("figure", "target", "calls"):
        shown.add_column(name, justify="right", no_wrap=True)
    shown.add_column("", no_wrap=True)
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
        shown.add_row(
            figure.what, f"{figure.value:.2f} {figure.unit}", target and f"{target} {figure.unit}", calls, verdict
        )
    return shown


if __name__ == "__main__":
    main()
