"""Our own work beside LangGraph's: processor time of a node run where nothing waits, by that of an empty node.

Both are measured in turn in one process, by the processor's clock. So the ratio depends little on the machine and on
what else it does, and tells whether our part has grown.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import Any

from typing_extensions import TypedDict

from errata.graphs import load

from .cases import cases
from .instant import instant, node_runs
from .start import NODES, empty_graph
from .timing import alone, stub

RUNS = 20
"""Of which the quickest counts."""
TRIES = 3
"""Of a check: whatever slowed one down is seldom there again."""
TIMES_EMPTY = {
    "ground": 5.6, "rarr": 3.8, "purr": 3.5, "critic_qa": 3.8, "critic_program": 4.0, "critic_toxicity": 2.6,
    "verify_and_edit": 2.7, "refchecker": 2.6, "llm_augmenter": 2.3,
}  # fmt: skip
"""The ratios that the documentation gives."""
SLACK = 1.3
"""By what a ratio may exceed them in a check: beside programs that took both cores, none was 1.2 times as high."""


class Own(TypedDict):
    """The work of a node run of a method."""

    method: str
    nodes: int
    """Node runs of an item."""
    node: float
    """Milliseconds of the processor for one."""
    times_empty: float
    """By those of a node that does nothing."""
    most: float
    """The ratio above which something has become slower."""


def own(method: str) -> Own:
    """The figures of a method, from a process of its own."""
    return alone(_own, method)


def quickest(method: str) -> Own:
    """The figures of a method; the lowest of TRIES if the first ones are too high."""
    tries: list[Own] = []
    while not tries or (tries[-1]["times_empty"] > tries[-1]["most"] and len(tries) < TRIES):
        tries.append(own(method))
    return min(tries, key=lambda found: found["times_empty"])


def _own(method: str) -> Own:
    case = cases(method)[0]
    with stub(case.items.world.brain, case.items.world.pages) as server:
        load(method)  # while the stub starts
        return asyncio.run(_measure(method, server.origin))


async def _measure(method: str, origin: str) -> Own:
    case, empty = cases(method)[0], empty_graph()
    context = await instant(case, origin)
    nodes = await node_runs(case, context)
    items, empties = [], []
    for _ in range(RUNS):
        items.append(await _processor(lambda: case.run(1, context)))
        empties.append(await _processor(lambda: empty.ainvoke({"number": 0})))
    node, empty_node = min(items) / nodes, min(empties) / NODES
    return Own(method=method, nodes=nodes, node=node * 1_000, times_empty=node / empty_node, most=most(method))


def most(method: str) -> float:
    """The ratio above which a method has become slower."""
    return SLACK * TIMES_EMPTY[method]


async def _processor(work: Callable[[], Awaitable[Any]]) -> float:
    """Seconds of this process's processor time."""
    before = time.process_time()
    await work()
    return time.process_time() - before
