"""What the benchmarks measure: every method takes the model calls and the waits that follow from its description."""

import json
import subprocess
import sys
from typing import Any

import pytest

from benchmarks.cases import CASES, Case, cases
from benchmarks.command import METHODS
from benchmarks.growth import grown
from benchmarks.instant import instant, node_runs
from benchmarks.stub import Stub
from benchmarks.waits import Delay, depth

LATENCIES = (0.06, 0.15, 0.4, 1.0)
"""A machine that is late can make a run look deeper or shallower than it is: the longer a wait, the less."""


def named(case: Case) -> str:
    return f"{case.method}: {case.what}"


@pytest.mark.parametrize("case", [*CASES, grown(2, 1), grown(1, 5)], ids=named)
async def test_calls_and_waits_are_as_due(case: Case) -> None:
    for item, latency in enumerate(LATENCIES, start=1):
        delay = Delay(latency)
        with Stub(case.items.world.brain, pages=case.items.world.pages) as stub:
            # The first item finds out what a server takes, while the others wait for it.
            await case.run(len(LATENCIES) + 1, case.items.world.context(stub.origin, Delay(), **case.settings))
            stub.forget()
            stub.latency = stub.page_latency = latency
            await case.run(item, case.items.world.context(stub.origin, delay, **case.settings))
            assert len(stub.asks) == case.calls
            waits = [(visit.began, visit.ended) for visit in stub.visits if visit.ended]
        deep = depth([*delay.waits, *waits])
        if deep == case.waits:
            break
    assert deep == case.waits


@pytest.mark.parametrize("method", METHODS)
async def test_where_nothing_waits_nobody_is_asked(method: str) -> None:
    case = cases(method)[0]
    with Stub(case.items.world.brain, pages=case.items.world.pages) as stub:
        context = await instant(case, stub.origin)
        # The recorded model is an object, which is asked for one reply at a time: three for three rounds of questions.
        assert len(stub.asks) == case.calls + (2 if method in ("rarr", "purr") else 0)
        stub.forget()
        await case.run(1, context)
        assert await node_runs(case, context) > case.calls / 4
        assert stub.visits == []


async def test_a_wrong_result_is_no_figure() -> None:
    case = cases("refchecker")[0]
    with (
        Stub(lambda ask: '{"claims": []}') as stub,
        pytest.raises(RuntimeError, match="refchecker, 6 claims in a call: a wrong result came out"),
    ):
        await case.run(1, case.items.world.at_hand(stub.origin))


def bench(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-m", "benchmarks", *arguments], capture_output=True, text=True, timeout=300)


def test_the_command_prints_figures() -> None:
    done = bench("refchecker", "--json")
    assert done.returncode == 0, done.stderr
    assert "1 of 1: refchecker" in done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    figures = found["refchecker"]
    assert [(one["calls"], one["what"]) for one in figures["alone"]] == [
        (2, "6 claims in a call"),
        (3, "the same, 5 in a call"),
        (7, "the same, each in a call"),
    ]
    (crowd,) = figures["crowds"]
    assert [one["items"] for one in crowd["together"]] == [8, 64]
    assert figures["nodes"] == 6
    assert figures["node"] > 0
    assert 0 < figures["loaded"] <= figures["peak"]


def test_an_unknown_part_is_refused() -> None:
    done = bench("nonsense")
    assert done.returncode == 2
    assert "'nonsense' is not one of 'ground'" in done.stderr
