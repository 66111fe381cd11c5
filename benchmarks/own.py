"""Our own work beside LangGraph's: that of a node run where nothing waits, by that of an empty node.

Processor time is measured in turn in one process, so the ratio depends little on the machine and on what else it does.
The function calls on the event loop are counted, and always the same: they show when our part has grown by a little.
"""

import asyncio
import sys
import time
from collections.abc import Awaitable, Callable
from types import FrameType
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
    "ground": 4.6, "rarr": 3.8, "purr": 3.5, "critic_qa": 4.6, "critic_program": 4.5, "critic_toxicity": 3.3,
    "verify_and_edit": 3.3, "refchecker": 3.1, "llm_augmenter": 2.9,
}  # fmt: skip
"""The ratios of processor time, with gates in threads, as LangGraph runs them."""
CALLS_EMPTY = {
    "ground": 3.04, "rarr": 2.83, "purr": 2.52, "critic_qa": 3.40, "critic_program": 2.96, "critic_toxicity": 2.84,
    "verify_and_edit": 2.80, "refchecker": 2.90, "llm_augmenter": 2.73,
}  # fmt: skip
"""The ratios of function calls."""
SLACK = 1.3
"""By what a ratio of times may exceed them in a check: beside programs that took both cores, none was 1.2 times it."""
CALLS_SLACK = 1.1
"""By what a ratio of calls may. They vary by a thousandth."""


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
    calls: float
    """Function calls of one, by those of a node that does nothing."""
    most_calls: float
    """The ratio above which something does more than it did."""


def own(method: str) -> Own:
    """The figures of a method, from a process of its own."""
    return alone(_own, method)


def quickest(method: str) -> Own:
    """The figures of a method; the lowest of TRIES if the first ones are too high."""
    tries: list[Own] = []
    while not tries or (tries[-1]["times_empty"] > tries[-1]["most"] and len(tries) < TRIES):
        tries.append(own(method))
    return min(tries, key=lambda found: found["times_empty"])


def is_slower(one: Own) -> bool:
    """Whether a method takes more time or more calls than it did."""
    return one["times_empty"] > one["most"] or one["calls"] > one["most_calls"]


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
    calls = await _calls(lambda: case.run(1, context)) / nodes
    calls_empty = await _calls(lambda: empty.ainvoke({"number": 0})) / NODES
    return Own(
        method=method,
        nodes=nodes,
        node=node * 1_000,
        times_empty=node / empty_node,
        most=SLACK * TIMES_EMPTY[method],
        calls=calls / calls_empty,
        most_calls=CALLS_SLACK * CALLS_EMPTY[method],
    )


async def _calls(work: Callable[[], Awaitable[Any]]) -> int:
    """How many Python functions are called and resumed in this thread."""
    count = 0

    def note(frame: FrameType, event: str, argument: Any) -> None:
        nonlocal count
        count += event == "call"

    sys.setprofile(note)
    try:
        await work()
    finally:
        sys.setprofile(None)
    return count


async def _processor(work: Callable[[], Awaitable[Any]]) -> float:
    """Seconds of this process's processor time."""
    before = time.process_time()
    await work()
    return time.process_time() - before
