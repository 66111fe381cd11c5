"""How long RARR takes, beside what it should take: `python -m errata.evals.bench_rarr [--json]`.

A loopback server stands in for model and web. Every model call, search and page takes 100 ms, so what goes beyond the
waits that a method needs is our own.
"""

import argparse
import asyncio
import statistics
import time
from collections.abc import Iterator
from importlib.util import find_spec
from itertools import count
from typing import Any

from langchain_core.runnables import RunnableLambda

from ..graphs import rarr
from ..state import Context
from . import scripted
from .timing import LATENCY, TIMES, Elsewhere, Figure, process, report, stub, timed

CLAIMS = 50

Case = tuple[int, tuple[int, ...]]
"""How many claims, and which of them are wrong."""

_editions = count()


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--json", action="store_true", help="print the figures as JSON")
    as_json = options.parse_args().json
    figures = [*asyncio.run(_runs()), *_processes()]
    report(figures, "RARR", as_json=as_json)


async def _runs() -> list[Figure]:
    with stub(scripted.brain, scripted.page) as server:
        started = time.perf_counter()
        await _correct(server, 4, (2, 3))
        first = Figure("a  first run of a process, speculative", time.perf_counter() - started, "s")
        small: Case = (4, (2, 3))
        figures = [
            first,
            await _median("a  4 questions, 2 edits, serial", 1.1, server, small, gating="serial"),
            await _median("a  4 questions, 2 edits, speculative", 0.95, server, small),
            await _median("a  4 questions, 2 edits, with edits", 0.75, server, small, speculate_edits=True),
            await _median("b  12 questions, 3 edits, speculative", 1.3, server, (12, (2, 6, 10))),
            *await _throughput(server),
        ]
    return [*figures, await _overhead()]


async def _median(what: str, target: float, server: Elsewhere, case: Case, **settings: Any) -> Figure:
    await _correct(server, *case, **settings)
    times: list[float] = []
    calls: list[int] = []
    for _ in range(TIMES):
        before = server.asked()
        with timed(times):
            await _correct(server, *case, **settings)
        calls.append(server.asked() - before)
    return Figure(what, statistics.median(times), "s", statistics.median(calls), most=target)


async def _throughput(server: Elsewhere) -> list[Figure]:
    """Texts of one claim, every other one wrong: one after another, and all at once."""
    alone: list[float] = []
    before = server.asked()
    with timed(alone):
        for tower in range(1, CLAIMS + 1):
            await _claim(server, tower)
    figures = [Figure(f"c  {CLAIMS} claims one after another", alone[0], "s", server.asked() - before)]
    figures += await _together(server, "c  at once", alone[0], 12.0)
    # Other settings want other clients, so a timeout that was not used before shows what making them costs.
    figures += await _together(server, "c  at once, new clients", alone[0], None, timeout=59)
    return figures


async def _together(server: Elsewhere, what: str, alone: float, target: float | None, **settings: Any) -> list[Figure]:
    together: list[float] = []
    before = server.asked()
    with timed(together):
        await asyncio.gather(*(_claim(server, tower, **settings) for tower in range(1, CLAIMS + 1)))
    return [
        Figure(what, together[0], "s", server.asked() - before),
        Figure(f"{what}: times as fast", alone / together[0], "x", least=target),
    ]


async def _claim(server: Elsewhere, tower: int, **settings: Any) -> None:
    await _correct(server, 1, (tower,) if tower % 2 else (), first=tower, max_concurrency=64, **settings)


async def _correct(server: Elsewhere, claims: int, wrong: tuple[int, ...], first: int = 1, **settings: Any) -> None:
    context = Context(
        model="openai:stub",
        base_url=f"{server.origin}/v1",
        search=scripted.TowerSearch(origin=server.origin, latency=LATENCY, edition=str(next(_editions))),
        allow_private_addresses=True,
        cache=False,
        **settings,
    )
    result = await rarr.graph.ainvoke({"text": scripted.text(claims, wrong, first)}, context=context)
    if result["text"] != scripted.text(claims, first=first):
        raise RuntimeError(f"a wrong text came out, so its time means nothing: {result['reason']}")


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


if __name__ == "__main__":
    main()
