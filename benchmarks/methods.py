"""What a method takes: one item at a time, many at once, and where nothing waits."""

import asyncio
import time
from collections.abc import Sequence
from statistics import median, median_low

from typing_extensions import TypedDict

from errata.apps.batch.garbage import seldom_collected
from errata.graphs import load

from .cases import Case, cases
from .instant import instant, node_runs
from .timing import LATENCY, TIMES, Elsewhere, memory, seconds, stub, timed_result
from .waits import Delay, depth

AT_ONCE = (8, 64)
INSTANT_TIMES = 20
"""Runs in which nothing waits. The quickest counts: what others do on the machine only adds to it."""


class Alone(TypedDict):
    """One item after another: medians of TIMES runs."""

    what: str
    calls: int
    """Model calls."""
    read: int
    written: int
    """Tokens that the model read and wrote, as the stub counts them: a word is a token."""
    waits: int
    """Depth: how many of the waits came one after another."""
    as_due: bool
    """Whether calls and waits are as many as follow from the method."""
    seconds: float
    beyond: float
    """Milliseconds that the waits do not explain."""
    processor: float
    """Milliseconds of processor time of our process."""


class Together(TypedDict):
    """Several items begun at once."""

    items: int
    per_second: float
    times_as_fast: float
    """As the same items one after another."""
    processor: float
    """Milliseconds of processor time of our process for one."""


class Crowd(TypedDict):
    """A case on many items."""

    what: str
    per_second: float
    """Items one after another."""
    together: list[Together]


class MethodFigures(TypedDict):
    """What was measured of a method: `alone` of all its cases, `crowds` of some, the rest of the first."""

    alone: list[Alone]
    crowds: list[Crowd]
    nodes: int
    """Node runs of an item."""
    node: float
    """Milliseconds of an item in which nothing waits, the quickest of INSTANT_TIMES, divided by its node runs."""
    loaded: float
    """Megabytes after items one after another."""
    peak: float
    """Megabytes at most, when the most items were under way."""


def measure(method: str) -> MethodFigures:
    """All figures of a method. Raises RuntimeError if a wrong result comes out of a run."""
    chosen = cases(method)
    with stub(chosen[0].items.world.brain, chosen[0].items.world.pages) as server:
        load(method)  # while the stub starts
        return asyncio.run(_measure(chosen, server))


async def _measure(chosen: Sequence[Case], server: Elsewhere) -> MethodFigures:
    alone = await measure_alone(chosen, server)
    loaded = memory().now
    crowds = [await _crowd(chosen[0], server, alone[0]["seconds"])]
    peak = memory().peak
    for case, one in zip(chosen[1:], alone[1:], strict=True):
        if case.crowded:
            crowds.append(await _crowd(case, server, one["seconds"]))
    nodes, node = await _node(chosen[0], server)
    return MethodFigures(alone=alone, crowds=crowds, nodes=nodes, node=node, loaded=loaded, peak=peak)


async def measure_alone(chosen: Sequence[Case], server: Elsewhere) -> list[Alone]:
    """Each case by itself. One run comes before all, unmeasured, that loads and connects."""
    first = chosen[0]
    await first.run(TIMES + 1, first.items.world.context(server.origin, Delay(LATENCY), **first.settings))
    return [await _alone(case, server) for case in chosen]


async def _alone(case: Case, server: Elsewhere) -> Alone:
    delay = Delay(LATENCY)
    context = case.items.world.context(server.origin, delay, **case.settings)
    times, processor, calls, depths, used = [], [], [], [], []
    server.visits()
    for item in range(1, TIMES + 1):
        before = time.process_time()
        took, usage = await timed_result(case.run(item, context))
        times.append(took)
        used.append(usage)
        processor.append(time.process_time() - before)
        asked, waits = server.visits()
        calls.append(asked)
        depths.append(depth([*delay.waits, *waits]))
        delay.waits.clear()
    took, called, waited = median(times), median_low(calls), median_low(depths)
    return Alone(
        what=case.what,
        calls=called,
        read=median_low(usage["input_tokens"] for usage in used),
        written=median_low(usage["output_tokens"] for usage in used),
        waits=waited,
        as_due=(called, waited) == (case.calls, case.waits),
        seconds=took,
        beyond=(took - waited * LATENCY) * 1_000,
        processor=median(processor) * 1_000,
    )


async def _crowd(case: Case, server: Elsewhere, alone: float) -> Crowd:
    together = [await _together(case, server, number, alone) for number in AT_ONCE]
    return Crowd(what=case.what, per_second=1 / alone, together=together)


async def _together(case: Case, server: Elsewhere, number: int, alone: float) -> Together:
    """So many items at once, as a batch runs them, beside the seconds of one alone."""
    context = case.items.world.context(server.origin, Delay(LATENCY), **case.settings)
    with seldom_collected():
        started, before = time.perf_counter(), time.process_time()
        await asyncio.gather(*(case.run(item, context) for item in range(1, number + 1)))
        took, worked = time.perf_counter() - started, time.process_time() - before
    return Together(
        items=number,
        per_second=number / took,
        times_as_fast=number * alone / took,
        processor=worked * 1_000 / number,
    )


async def _node(case: Case, server: Elsewhere) -> tuple[int, float]:
    """Node runs of an item, and milliseconds that one takes where nothing waits."""
    context = await instant(case, server.origin)
    nodes = await node_runs(case, context)
    times = [await seconds(case.run(1, context)) for _ in range(INSTANT_TIMES)]
    return nodes, min(times) * 1_000 / nodes
