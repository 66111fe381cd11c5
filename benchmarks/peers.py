"""The methods beside the control flow of the published code, alternately, in one run.

The peers are our own writing, after the papers' algorithms: one thing after another with OpenAI's blocking client, as
the published code does it, and no more work on a page than taking its words. They ask the same stub. So a ratio says
what it brings to do independent work at once, and what LangGraph and we cost; it says nothing about prompts or models.
"""

import asyncio
import json
import re
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from statistics import median, median_low
from typing import Any

import httpx
import lxml.html
from openai import OpenAI
from pydantic_monty import Monty
from typing_extensions import TypedDict

from errata.graphs import load

from .cases import Case, cases
from .timing import LATENCY, Elsewhere, alone, stub, timed
from .waits import Delay

RUNS = 5
"""Runs of which the median is reported."""
FEW = 3
"""The same of a check."""
AT_ONCE = 8
SLACK = 0.7
"""The part of its figure that a ratio may not fall below in a check: machines differ in what our own work costs."""

ROUNDS, PAGES, PASSAGE, CORRECTIONS = 3, 5, 4, 4
"""RARR's rounds of questions, its pages for each, sentences of a passage; CRITIC's corrections of a program."""


class Race(TypedDict):
    """A peer and errata on the same items: medians."""

    method: str
    what: str
    peer_calls: int
    calls: int
    peer: float
    """Seconds."""
    errata: float
    """Seconds."""
    ratio: float
    """Times as fast as the peer."""
    floor: float
    """Seconds that errata's waits take, one after another."""
    least: float
    """The ratio below which something has become slower."""


@dataclass(frozen=True)
class Web:
    """Model, search and pages as the published code reaches them: each call blocks."""

    origin: str
    model: OpenAI
    client: httpx.Client
    readers: ThreadPoolExecutor
    """Read the pages of a search at once, as RARR's code does."""

    def ask(self, instructions: str, request: str, schema: str = "") -> str:
        messages: Any = [{"role": "system", "content": instructions}, {"role": "user", "content": request}]
        form: Any = {"response_format": {"type": "json_schema", "json_schema": {"name": schema, "schema": {}}}}
        reply = self.model.chat.completions.create(model="stub", messages=messages, **(form if schema else {}))
        return reply.choices[0].message.content or ""

    def search(self, tower: str) -> list[str]:
        time.sleep(LATENCY)
        return [f"{self.origin}/pages/{tower}/{place}" for place in range(PAGES)]

    def read(self, addresses: Sequence[str]) -> list[str]:
        """The sentences of pages, in passages."""
        return [passage for page in self.readers.map(self._page, addresses) for passage in _passages(page)]

    def _page(self, address: str) -> str:
        return str(lxml.html.fromstring(self.client.get(address).text).text_content())


@contextmanager
def reached(origin: str) -> Iterator[Web]:
    """The web at an origin."""
    with (
        OpenAI(base_url=f"{origin}/v1", api_key="none", max_retries=0) as model,
        httpx.Client() as client,
        ThreadPoolExecutor(PAGES) as readers,
    ):
        yield Web(origin, model, client, readers)


Peer = Callable[[Web, Mapping[str, Any]], dict[str, Any]]


def rarr(web: Web, given: Mapping[str, Any]) -> dict[str, Any]:
    """RARR, figure 3: question generation, evidence, and for each pair the agreement gate and the edit."""
    text = given["text"]
    rounds = [web.ask('Reply with {"queries": []}.', _tagged(text=text)) for _ in range(ROUNDS)]
    questions = dict.fromkeys(question for said in rounds for question in json.loads(said)["queries"])
    for question in questions:
        tower = re.findall(r"\d+", question)[0]
        found = web.read(web.search(tower))
        best = max(found, key=lambda passage: len(_words(passage) & _words(question)))
        shown = _tagged(text=text, query=question, evidence=best)
        if json.loads(web.ask('Reply with {"label": ""}.', shown))["label"] == "contradiction":
            text = web.ask("Correct the text.", shown)
    return {"text": text, "reason": ""}


def critic_program(web: Web, given: Mapping[str, Any]) -> dict[str, Any]:
    """CRITIC, algorithm 1, on programs: run, critique, correct, at most CORRECTIONS times."""
    question = _tagged(question=given["question"])
    with Monty() as pool, pool.checkout() as interpreter:

        def run(code: str) -> str:
            return str(interpreter.feed_run(f"{code}\nanswer"))

        program = _program(web.ask("Reply with ```python.", question))
        for _ in range(CORRECTIONS):
            shown = f"{question}\n{_tagged(program=program, observation=run(program))}"
            critique = json.loads(web.ask("Critique the program.", shown, "Critique"))
            if critique["accepted"]:
                break
            asked = f"{shown}\n{_tagged(critique=critique['correctness'])}"
            program = _program(web.ask("Reply with ```python.", asked))
        return {"answer": run(program), "reason": ""}


def refchecker(web: Web, given: Mapping[str, Any]) -> dict[str, Any]:
    """RefChecker: extraction, and then a check of each claim triplet."""
    found = json.loads(web.ask("Extract claims.", _tagged(text=given["text"]), "Triplets"))["claims"]
    evidence = "\n".join(given["references"])
    claims = []
    for claim in found:
        said = f"[1] {claim['subject']} {claim['predicate']} {claim['object']}."
        reply = web.ask("Check the claim.", _tagged(evidence=evidence, claims=said), "Judgements")
        claims.append({"label": json.loads(reply)["judgements"][0]["label"]})
    return {"claims": claims, "reason": ""}


@dataclass(frozen=True)
class Pair:
    """What is compared.

    Attributes:
        case: What errata does.
        peer: What the published code does.
        ratio: The ratio that the documentation gives.
        items: How many items are begun at once; the peer does one after another.
    """

    case: Case
    peer: Peer
    ratio: float
    items: int = 1


def _pairs() -> tuple[Pair, ...]:
    of_rarr = {case.what: case for case in cases("rarr")}
    small = of_rarr["4 questions, 2 edits"]
    program, claims = cases("critic_program")[0], cases("refchecker")[0]
    return (
        Pair(small, rarr, 2.0),
        Pair(of_rarr["the same, gates one by one"], rarr, 1.8),
        Pair(of_rarr["the same, edits also ahead"], rarr, 2.5),
        Pair(of_rarr["12 questions, 3 edits"], rarr, 3.6),
        Pair(small, rarr, 10.0, AT_ONCE),
        Pair(program, critic_program, 1.0),
        Pair(program, critic_program, 7.3, AT_ONCE),
        Pair(claims, refchecker, 3.4),
    )


def peers() -> list[Race]:
    """All comparisons. Raises RuntimeError if a wrong result comes out of a run."""
    return [alone(_race, number, RUNS) for number in range(len(_pairs()))]


def check() -> list[Race]:
    """Those of single items, with fewer runs."""
    return [alone(_race, number, FEW) for number, pair in enumerate(_pairs()) if pair.items == 1]


def _race(number: int, runs: int) -> Race:
    """So many runs of a peer and of errata in turn, after one of each that loads and connects."""
    pair = _pairs()[number]
    world = pair.case.items.world
    with stub(world.brain, world.pages) as server:
        load(pair.case.method)  # while the stub starts
        return _measure(pair, server, runs)


def _measure(pair: Pair, server: Elsewhere, runs: int) -> Race:
    case = pair.case
    context = case.items.world.context(server.origin, Delay(LATENCY), **case.settings)
    peer_times: list[float] = []
    times: list[float] = []
    peer_calls, calls = [], []
    with asyncio.Runner() as runner, reached(server.origin) as web:
        for turn in range(runs + 1):
            numbers = range(1 + turn * pair.items, 1 + (turn + 1) * pair.items)
            server.visits()
            with timed(peer_times):
                for item in numbers:
                    _one(pair, web, item)
            peer_calls.append(server.visits()[0])
            with timed(times):
                runner.run(_at_once(case, numbers, context))
            calls.append(server.visits()[0])
    peer, errata = median(peer_times[1:]), median(times[1:])
    return Race(
        method=case.method,
        what=f"{case.what}, {pair.items} at once" if pair.items > 1 else case.what,
        peer_calls=median_low(peer_calls[1:]) // pair.items,
        calls=median_low(calls[1:]) // pair.items,
        peer=peer,
        errata=errata,
        ratio=peer / errata,
        floor=case.waits * LATENCY,
        least=SLACK * pair.ratio,
    )


def _one(pair: Pair, web: Web, item: int) -> None:
    if not pair.case.items.right(item, pair.peer(web, pair.case.items.given(item))):
        raise RuntimeError(f"{pair.case.method}, {pair.case.what}: a wrong result came out of the peer")


async def _at_once(case: Case, numbers: range, context: Any) -> None:
    await asyncio.gather(*(case.run(item, context) for item in numbers))


def _tagged(**values: str) -> str:
    return "\n".join(f"<{name}>\n{value}\n</{name}>" for name, value in values.items())


def _passages(page: str) -> list[str]:
    sentences = re.split(r"(?<=\.)\s*", page)
    return [" ".join(sentences[start : start + PASSAGE]) for start in range(len(sentences))]


def _words(text: str) -> set[str]:
    return set(re.findall(r"\w+", text.lower()))


def _program(reply: str) -> str:
    return reply.removeprefix("```python\n").removesuffix("\n```")
