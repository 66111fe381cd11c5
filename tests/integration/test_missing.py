"""Whatever fails or is refused, nothing is said, changed or accepted that would not have been without it.

Every method runs in a scripted world, once as it is and then with some of its model calls, searches and tools down or
refusing. What it comes to may only be less.
"""

import asyncio
import hashlib
import json
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from benchmarks import scripted_chain
from benchmarks.stub import BROKEN, Ask, Reply, Stub
from errata.state.errors import ToolError
from errata.tools import SearchTool
from errata.tools.python.execution import PythonTool
from errata.tools.toxicity import ToxicityTool

from ..zoo.cases import RUNS, Run

# Connections that an event loop of a test leaves open are closed by the collector.
pytestmark = pytest.mark.filterwarnings("ignore:unclosed transport:ResourceWarning")

EXAMPLES = 4
"""Patterns of faults for each method; it was run with 60."""
FAULTS: tuple[str | Reply, ...] = (
    BROKEN,
    Reply(fault="reset"),
    "",
    "I'm sorry, but I can't help with that.",
    "Rate limit exceeded. Please try again in 20s.",
    "<!DOCTYPE html><html><head><title>502 Bad Gateway</title></head></html>",
    Reply("I cannot ", finish="content_filter"),
)


GIVEN = Run(
    "verify_and_edit",
    next(run.world for run in RUNS if run.method == "verify_and_edit"),
    {"question": scripted_chain.question(), "text": scripted_chain.chain(True, 0)},
)
"""A chain of thought of the caller's own: without samples there is but one."""
TRIED = (*RUNS, GIVEN, replace(GIVEN, settings={"chain": True}))


@dataclass
class Weather:
    """What fails: follows from what is asked, and the how-manieth time that is."""

    seed: int = 0
    share: float = 0.0
    """Of all calls that fail."""
    times: Counter[str] = field(default_factory=Counter)
    struck: int = 0

    def strikes(self, *asked: str) -> int | None:
        """A number to choose a fault by, or None where the call goes well."""
        said = json.dumps(asked)
        self.times[said] += 1
        drawn = hashlib.sha256(f"{self.seed} {self.times[said]} {said}".encode()).digest()
        if int.from_bytes(drawn[:4]) / 2**32 >= self.share:
            return None
        self.struck += 1
        return drawn[5]


weather = Weather()


def answered(run: Run, ask: Ask) -> str | Reply:
    asked = ("model", str(ask.messages[1:]), ask.schema)
    struck = weather.strikes(*asked)
    if struck is not None:
        return FAULTS[struck % len(FAULTS)]
    reply = run.world.brain(ask)
    if isinstance(reply, Reply) and reply.more and (ask.body.get("n") or 1) == 1:  # samples that are asked for singly
        every = [reply.text, *reply.more]
        return every[(weather.times[json.dumps(asked)] - 1) % len(every)]
    return reply


@pytest.fixture(scope="module", autouse=True)
def tools_fail() -> Iterator[None]:
    """Searches, scorers and interpreters that are down when the weather says so."""
    with pytest.MonkeyPatch.context() as patch:
        for kind, name in ((SearchTool, "_carry_out"), (ToxicityTool, "_carry_out"), (PythonTool, "execute")):
            patch.setattr(kind, name, _failing(getattr(kind, name), kind.__name__))
        yield


def _failing(work: Any, name: str) -> Any:
    async def carry_out(self: Any, *asked: Any) -> Any:
        if weather.strikes(name, str(asked)) is not None:
            raise ToolError(f"{name} is down")
        return await work(self, *asked)

    return carry_out


def come_to(run: Run, seed: int, share: float) -> Mapping[str, Any]:
    """What a run comes to in some weather."""
    global weather
    weather = Weather(seed, share)
    with Stub(lambda ask: answered(run, ask)) as stub:
        return asyncio.run(run.result(stub.origin, "stub", retries=0, repairs=0))


@cache
def in_fair_weather(number: int) -> Mapping[str, Any]:
    return come_to(TRIED[number], 0, 0.0)


@pytest.mark.parametrize("number", range(len(TRIED)), ids=lambda number: TRIED[number].method)
@settings(max_examples=EXAMPLES, derandomize=True, suppress_health_check=list(HealthCheck))
@example(seed=1, share=0.1)  # of critic_program: a correction is written, and cannot be run
@given(seed=st.integers(0, 2**32), share=st.sampled_from([0.1, 0.25, 0.5]))
def test_a_failure_only_ever_takes_away(number: int, seed: int, share: float) -> None:
    run = TRIED[number]
    clear, got = in_fair_weather(number), come_to(run, seed, share)
    event = f"{weather.struck} calls failed: {got['reason']}"
    if not weather.struck:
        assert untimed(got) == untimed(clear)
        return
    assert got["failures"] or got["stopped"] in ("error", clear["stopped"]), event
    # An acceptance is that of the run without failures, and of the same text.
    if got["stopped"] == "accepted":
        assert (clear["stopped"], clear["text"]) == ("accepted", got["text"]), event
    if got["stopped"] == "finished" and run.method in ("self_consistency", "rejection_sampling"):
        assert got["answer"] == clear["answer"], event
    if got["original"] != clear["original"]:
        return  # another draft, of which other things are true
    assert not judged(got) - judged(clear), event
    assert not edited(got) - edited(clear), event
    assert found_right(got) <= found_right(clear), event
    assert got["status"] == "unresolved" or not found_wrong(got), event
    assert got["status"] in ("not checked", "unresolved", "unchanged", clear["status"], partly(clear)), event
    if run.method == "verify_and_edit":
        assert got["answer"] in (clear["answer"], clear["original_answer"]), event
    for summed in ("strict", "major"):
        assert got.get(summed) in (clear.get(summed), "error"), event
    asked_and_had = got["quorum"].values()
    assert all(each["had"] <= each["asked"] for each in asked_and_had)


def untimed(result: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in result.items() if name != "usage"}


def judged(result: Mapping[str, Any]) -> Counter[tuple[str, str]]:
    """What was said of what."""
    labels = [(each["question"], each["label"]) for each in result["verdicts"] if each["label"] != "error"]
    return Counter(labels)


def edited(result: Mapping[str, Any]) -> Counter[tuple[str, str]]:
    """The changes that were made."""
    return Counter((each["before"], each["after"]) for each in result["edits"] if each["applied"])


def found_right(result: Mapping[str, Any]) -> set[str]:
    """Sentences that evidence was found to agree with."""
    return {each["sentence"] for each in result["attribution"] if each["status"] == "checked"}


def found_wrong(result: Mapping[str, Any]) -> bool:
    """Whether what a tool said of the very text that came out is against it."""
    said_of_it = {piece["id"] for piece in result["evidence"] if piece["query"] == result["text"]}
    return any(each["label"] == "contradiction" and each["evidence"] in said_of_it for each in result["verdicts"])


def partly(clear: Mapping[str, Any]) -> str:
    """A text that would have been put right in several places is corrected if it is in one."""
    return "corrected" if edited(clear) else "not checked"
