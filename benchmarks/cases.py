"""What the benchmarks run: inputs of every method, in scripted worlds, and what has to come out of them.

How many model calls a case takes, and how many of all waits come one after another, follows from its method alone.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from errata.graphs import load
from errata.state import Context, Usage

from . import scripted, scripted_augmenter, scripted_chain, scripted_claims, scripted_critic
from .stub import Answer
from .timing import Pages, no_pages
from .waits import Delay

NEVER = 99
"""Corrections that no loop of CRITIC comes to."""
HOUSES = 6
"""Claims in a response that RefChecker takes apart."""

Tools = Callable[[str, Delay], dict[str, Any]]
"""Settings with the tools of a run, from where the web is (nowhere, if that is empty) and what they wait with."""


@dataclass(frozen=True)
class World:
    """What stands in for model and web."""

    brain: Answer
    pages: Pages
    tools: Tools

    def context(self, origin: str, delay: Delay, **settings: Any) -> Context:
        """Settings of a run whose model is at `origin`, and whose tools take their time."""
        return _context(origin, self.tools(origin, delay), settings)

    def at_hand(self, origin: str, **settings: Any) -> Context:
        """The same with tools that wait for nothing and nobody."""
        return _context(origin, self.tools("", Delay()), settings)


@dataclass(frozen=True)
class Items:
    """Inputs, numbered from 1, that share nothing which might be looked up once for two of them."""

    world: World
    given: Callable[[int], dict[str, Any]]
    right: Callable[[int, Mapping[str, Any]], bool]
    """Whether a result is what has to come of an item."""


@dataclass(frozen=True)
class Case:
    """A method on some kind of items."""

    method: str
    what: str
    items: Items
    calls: int
    """Model calls of a run."""
    waits: int
    """Its depth: waits that come one after another."""
    settings: Mapping[str, Any] = field(default_factory=dict)
    crowded: bool = False
    """Whether many at once are measured, too, as they are of the first case of a method."""

    async def run(self, item: int, context: Context) -> Usage:
        """What it used. Raises RuntimeError if something wrong comes out: then its time means nothing."""
        result = await load(self.method).ainvoke(self.items.given(item), context=context)
        if not self.items.right(item, result):
            raise RuntimeError(f"{self.method}, {self.what}: a wrong result came out: {result['reason']}")
        usage: Usage = result["usage"]
        return usage


def towers(claims: int, *wrong: int) -> Items:
    """Texts of so many claims, of which those at some places, from 0, are wrong."""

    def first_of(item: int) -> int:
        return claims * (item - 1) + 1

    def given(item: int) -> dict[str, Any]:
        first = first_of(item)
        return {"text": scripted.text(claims, [first + place for place in wrong], first)}

    return Items(TOWERS, given, lambda item, got: got["text"] == scripted.text(claims, first=first_of(item)))


def cases(method: str) -> list[Case]:
    """The cases of a method. The first is the one that all is measured of; the others vary it."""
    return [case for case in CASES if case.method == method]


def _context(origin: str, tools: Mapping[str, Any], settings: Mapping[str, Any]) -> Context:
    return Context(
        model="openai:stub",
        base_url=f"{origin}/v1",
        allow_private_addresses=True,
        max_concurrency=512,
        cache=False,
        **tools,
        **settings,
    )


def _towers(origin: str, delay: Delay) -> dict[str, Any]:
    return {"search": scripted.TowerSearch(origin=origin, delay=delay) if origin else scripted.TowerLibrary()}


def _library(origin: str, delay: Delay) -> dict[str, Any]:
    return {"search": scripted.TowerLibrary(delay=delay)}


def _masons(origin: str, delay: Delay) -> dict[str, Any]:
    return {"search": scripted_augmenter.TowerSearch(delay=delay)}


def _slow(origin: str, delay: Delay) -> dict[str, Any]:
    return {"search": scripted_critic.SlowSearch(delay=delay), "toxicity": scripted_critic.SlowScorer(delay=delay)}


TOWERS = World(scripted.brain, scripted.page, _towers)
LIBRARY = World(scripted.brain, scripted.page, _library)
PROBLEMS = World(scripted_critic.brain, no_pages, _slow)


def _problems(corrections: int, most: int) -> Items:
    """Problems that take so many corrections, of which a method makes at most some."""
    made = str(min(corrections, most))
    return Items(
        PROBLEMS,
        lambda item: {"question": scripted_critic.problem(item, corrections)},
        lambda item, got: got["answer"] == made,
    )


def _messages(say: Callable[[int], str], responses: int, stopped: str) -> Items:
    return Items(
        World(scripted_augmenter.brain, no_pages, _masons),
        lambda item: {"question": say(item)},
        lambda item, got: (len(got["scores"]), got["stopped"]) == (responses, stopped),
    )


_ASKING = _messages(lambda item: scripted_augmenter.message(item, 1), 1, "accepted")
_ASKING_TWICE = _messages(lambda item: scripted_augmenter.message(item, 2), 2, "accepted")
_THANKING = _messages(lambda item: f"{scripted_augmenter.SMALL_TALK} ({item})!", 1, "finished")
_PROMPTS = Items(
    PROBLEMS,
    lambda item: {"question": f"Prompt {item}"},
    lambda item, got: got["text"] == "Continuation number 4 is nicer.",
)
_CHAINS = Items(
    World(scripted_chain.brain, scripted.page, _towers),
    lambda item: {"question": scripted_chain.question(item)},
    lambda item, got: got["text"] == scripted_chain.corrected(item),
)
_RESPONSES = Items(
    World(scripted_claims.brain, no_pages, lambda origin, delay: {}),
    lambda item: scripted_claims.response(item, HOUSES),
    lambda item, got: [claim["label"] for claim in got["claims"]] == scripted_claims.labels(HOUSES),
)
_TWO_WRONG = towers(4, 1, 2)
_THREE_WRONG = towers(12, 1, 5, 9)

CASES = (
    # Questions (three times, at once), search, pages; then gates, four at once, and an edit wherever one opens.
    Case("rarr", "4 questions, 2 edits", _TWO_WRONG, calls=10, waits=8),
    Case("rarr", "the same, gates one by one", _TWO_WRONG, calls=7, waits=9, settings={"gating": "serial"}),
    Case("rarr", "the same, edits also ahead", _TWO_WRONG, calls=15, waits=6, settings={"speculate_edits": True}),
    Case("rarr", "the same, gates in one request", _TWO_WRONG, calls=6, waits=8, settings={"gating": "joint"}),
    Case("rarr", "the same, whole pages found", replace(_TWO_WRONG, world=LIBRARY), calls=10, waits=7, crowded=True),
    Case("rarr", "12 questions, 3 edits", _THREE_WRONG, calls=18, waits=10),
    # Questions, search, pages, one revision.
    Case("ground", "4 questions, 2 changes in 1 revision", _TWO_WRONG, calls=2, waits=4),
    # Questions, search, pages, one edit.
    Case("purr", "4 questions, 2 changes in 1 edit", _TWO_WRONG, calls=2, waits=4),
    # A draft; in each round two searches and three turns.
    Case("critic_qa", "3 rounds of 2 searches", _problems(NEVER, 3), calls=10, waits=16, settings={"caution": "paper"}),
    Case("critic_qa", "right at once", _problems(0, 3), calls=4, waits=6),
    # A program; in each round a critique and a program.
    Case("critic_program", "4 rounds", _problems(NEVER, 4), calls=9, waits=9, settings={"caution": "paper"}),
    Case(
        "critic_program", "right after 1 correction", _problems(1, 4), calls=4, waits=4, settings={"caution": "paper"}
    ),
    # A continuation and its score, and both again in each round.
    Case("critic_toxicity", "4 rounds", _PROMPTS, calls=5, waits=10),
    # Samples; questions, searches, pages and answers of all sentences; the answer again.
    Case("verify_and_edit", "5 samples, 3 sentences at once", _CHAINS, calls=8, waits=6, settings={"chain": False}),
    Case("verify_and_edit", "the same, one by one", _CHAINS, calls=8, waits=14),
    # Claims, and all checks of them at once.
    Case("refchecker", "6 claims in a call", _RESPONSES, calls=2, waits=2),
    Case("refchecker", "the same, 5 in a call", _RESPONSES, calls=3, waits=2, settings={"joint_size": 5}),
    Case("refchecker", "the same, each in a call", _RESPONSES, calls=7, waits=2, settings={"checking": "single"}),
    # Queries, search, descriptions, chains and a response, and perhaps another one.
    Case("llm_augmenter", "consolidate, respond twice", _ASKING_TWICE, calls=4, waits=6),
    Case("llm_augmenter", "consolidate, respond", _ASKING, calls=3, waits=5),
    Case("llm_augmenter", "no evidence needed", _THANKING, calls=2, waits=2, settings={"policy": "self_ask"}),
)
