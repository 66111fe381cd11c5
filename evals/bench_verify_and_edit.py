"""How long Verify-and-Edit takes, in latencies: `python -m errata.evals.bench_verify_and_edit [--json]`.

A loopback server, in a process of its own, stands in for model and web; every model call, search and page takes 100 ms.
Five samples disagree, three sentences are verified, and the answer is given again: whatever is independent at once.
"""

import argparse
import asyncio
import json
import multiprocessing
import re
import statistics
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import count
from multiprocessing.connection import Connection
from typing import Any

from pydantic import Field
from rich.console import Console
from rich.table import Table
from typing_extensions import TypedDict

from ..graphs import verify_and_edit
from ..state import Context, Evidence
from . import scripted
from .stub import Ask, Reply, Stub

LATENCY = 0.1
TIMES = 5
"""Runs of which the median is reported; one more comes before them, unmeasured, that loads and connects."""
SAMPLES, SENTENCES = 5, 3
MOST = 6
"""Latencies that a run may take: samples, question, search, page, answer, answer again."""
QUESTION = "How high is tower 3?"

Wait = tuple[float, float]
"""When it began and ended, on the clock of `time.monotonic`, which all processes of a machine share on Linux."""
Visits = Callable[[], tuple[int, list[Wait]]]

_editions = count()
_ASKED = re.compile(r"tower (\d+)", re.IGNORECASE)


class Figure(TypedDict):
    """One line of the report."""

    what: str
    calls: int
    """Requests to the model in a run."""
    depth: int
    """Waits of a run that came one after another: the longest chain of calls, searches and pages of which each began
    when the one before it had ended. How busy the machine is does not change it."""
    seconds: float
    most: int | None
    """Depth that it may have; None where there is no target."""


def chain(wrong: bool, answer: int) -> str:
    """A chain of thought about the towers, with the second one's height wrong or right."""
    lies = (2,) if wrong else ()
    facts = [scripted.text(1, lies, tower) for tower in range(1, SENTENCES + 1)]
    return f"First, {facts[0]} Second, {facts[1]} Third, {facts[2]} The answer is {answer} metres."


def brain(ask: Ask) -> str | Reply:
    """What the model answers: it reads the request and goes by nothing else."""
    request = str(ask.messages[-1]["content"])
    if "<sentence>" in request:
        asked = _ASKED.search(request.split("<sentence>")[1])
        return f"How high is tower {asked[1] if asked else '?'}?"
    if "<evidence>" in request:
        said = re.search(r"Tower \d+ is \d+ metres high\.", request)
        return said[0] if said else "UNKNOWN"
    if "<rationale>" in request:
        return "The answer is 103 metres."
    others = tuple(chain(True, answer) for answer in range(1, SAMPLES))
    return Reply(chain(True, 0), more=others, logprobs=((-0.5,),) * SAMPLES)


class Search(scripted.TowerSearch):
    """Remembers when it searched."""

    searched: list[Wait] = Field(default_factory=list)

    async def _find(self, query: str, limit: int) -> list[Evidence]:
        began = time.monotonic()
        found = await super()._find(query, limit)
        self.searched.append((began, time.monotonic()))
        return found


async def run(origin: str, **settings: Any) -> list[Wait]:
    """One run, and when it searched. Raises RuntimeError if what comes out is wrong, so that its time means nothing."""
    search = Search(origin=origin, latency=LATENCY, edition=str(next(_editions)))
    context = Context(
        model="openai:stub",
        base_url=f"{origin}/v1",
        search=search,
        allow_private_addresses=True,
        cache=False,
        samples=SAMPLES,
        **settings,
    )
    result = await verify_and_edit.graph.ainvoke({"question": QUESTION}, context=context)
    if result["text"] != chain(False, 103) or len(result["sentences"]) != SENTENCES:
        raise RuntimeError(f"a wrong chain came out: {result['reason']}")
    return search.searched


def depth(waits: list[Wait]) -> int:
    """Length of the longest chain of waits of which each began when the one before it had ended."""
    longest: list[tuple[float, int]] = []
    for began, ended in sorted(waits):
        longest.append((ended, 1 + max((length for end, length in longest if end <= began), default=0)))
    return max((length for _, length in longest), default=0)


async def measure() -> list[Figure]:
    """All figures."""
    with _elsewhere() as (origin, visits):
        return [
            await _median(origin, visits, "sentences at once", MOST),
            await _median(origin, visits, "the same, by probability", MOST, consistency="probability"),
            await _median(origin, visits, "one after another (chain)", None, chain=True),
        ]


async def _median(origin: str, visits: Visits, what: str, most: int | None, **settings: Any) -> Figure:
    times, depths, calls = [], [], []
    for _ in range(TIMES + 1):
        started = time.perf_counter()
        searched = await run(origin, **settings)
        times.append(time.perf_counter() - started)
        asked, waits = visits()
        depths.append(depth([*searched, *waits]))
        calls.append(asked)
    return Figure(what=what, calls=max(calls), depth=max(depths), seconds=statistics.median(times[1:]), most=most)


@contextmanager
def _elsewhere() -> Iterator[tuple[str, Visits]]:
    """A stub in a process of its own, as a real server would be: its address, and what was asked of it since."""
    ours, theirs = multiprocessing.Pipe()
    process = multiprocessing.get_context("spawn").Process(target=_serve, args=(theirs,), daemon=True)
    process.start()

    def visits() -> tuple[int, list[Wait]]:
        ours.send("visits")
        asked, waits = ours.recv()
        return asked, waits

    try:
        yield ours.recv(), visits
    finally:
        ours.send("stop")
        process.join()


def _serve(pipe: Connection) -> None:
    with Stub(brain, LATENCY, scripted.page, LATENCY) as stub:
        pipe.send(stub.origin)
        while pipe.recv() == "visits":
            pipe.send((len(stub.asks), [(visit.began, visit.ended) for visit in stub.visits]))
            stub.forget()


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--json", action="store_true", help="print the figures as JSON")
    as_json = options.parse_args().json
    figures = asyncio.run(measure())
    if as_json:
        print(json.dumps(figures, indent=2))
        return
    title = f"Verify-and-Edit: {SAMPLES} samples, {SENTENCES} sentences, {LATENCY * 1_000:.0f} ms for each call"
    table = Table("", "model calls", "depth", "target", "seconds", "", title=title)
    for figure in figures:
        most = figure["most"]
        target = "" if most is None else f"≤ {most}"
        verdict = "" if most is None else "[green]pass[/]" if figure["depth"] <= most else "[red]miss[/]"
        counts = (str(figure["calls"]), str(figure["depth"]), target, f"{figure['seconds']:.2f}", verdict)
        table.add_row(figure["what"], *counts)
    Console().print(table)


if __name__ == "__main__":
    main()
