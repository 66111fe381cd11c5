"""How long RefChecker takes, beside what it should take: `python -m errata.evals.bench_refchecker [--json]`.

A loopback server in a process of its own stands in for the model. Every call takes 100 ms.
"""

import argparse
import asyncio
import statistics
from typing import Any

from ..graphs import refchecker
from ..state import Context
from . import scripted_claims
from .timing import TIMES, Elsewhere, Figure, no_pages, process, report, stub, timed

RESPONSES, CLAIMS = 20, 6
MOST_CALLS = RESPONSES + 2 * RESPONSES
"""One to extract and two to check a response: ⌈6 claims / 5 in a call⌉."""


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--json", action="store_true", help="print the figures as JSON")
    as_json = options.parse_args().json
    report([*asyncio.run(_runs()), *_imports()], "RefChecker", as_json=as_json)


async def _runs() -> list[Figure]:
    with stub(scripted_claims.brain, no_pages) as elsewhere:
        return [
            await _median(elsewhere, f"{RESPONSES} responses of {CLAIMS} claims, joint", 0.6, MOST_CALLS),
            await _median(
                elsewhere, f"{RESPONSES} responses of {CLAIMS} claims, single", None, None, checking="single"
            ),
        ]


async def _median(
    elsewhere: Elsewhere, what: str, most: float | None, most_calls: int | None, **settings: Any
) -> Figure:
    await _check(elsewhere, **settings)
    times: list[float] = []
    calls: list[int] = []
    for _ in range(TIMES):
        before = elsewhere.asked()
        with timed(times):
            await _check(elsewhere, **settings)
        calls.append(elsewhere.asked() - before)
    if most_calls is not None and max(calls) > most_calls:
        raise RuntimeError(f"{max(calls)} model calls, where {most_calls} are enough")
    return Figure(what, statistics.median(times), "s", statistics.median(calls), most=most)


async def _check(elsewhere: Elsewhere, **settings: Any) -> None:
    """Check all responses at once, as `errata check --input` does."""
    context = Context(model="openai:stub", base_url=f"{elsewhere.origin}/v1", max_concurrency=64, **settings)
    given: list[Any] = [scripted_claims.response(number, CLAIMS) for number in range(RESPONSES)]
    results = await asyncio.gather(*(refchecker.graph.ainvoke(one, context=context) for one in given))
    wanted = scripted_claims.labels(CLAIMS)
    if any([claim["label"] for claim in result["claims"]] != wanted for result in results):
        raise RuntimeError("wrong labels came out, so their time means nothing")


def _imports() -> list[Figure]:
    """What a person waits for before anything happens, and how much of it is LangGraph's own."""
    ours, theirs = (process("-c", f"import {name}") for name in ("errata.graphs.refchecker", "langgraph.graph"))
    return [
        Figure("import errata.graphs.refchecker", ours, "s", most=1.0),
        Figure("import langgraph.graph alone", theirs, "s"),
    ]


if __name__ == "__main__":
    main()
