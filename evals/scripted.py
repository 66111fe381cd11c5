"""A small world of towers, with a model, a search and pages that know it: RARR's whole loop without a network.

Text, questions, evidence and verdicts follow from each other, so that a run can be judged: every wrong height is put
right, and nothing else is touched.
"""

import asyncio
import json
import re
from collections.abc import Iterable
from typing import ClassVar

from ..state import Evidence
from ..tools import SearchTool, evidence
from .stub import Ask

_SAYS = re.compile(r"Tower (\d+) is (\d+) metres high\.")
_ASKS = re.compile(r"How high is tower (\d+)\?")


def text(claims: int, wrong: Iterable[int] = (), first: int = 1) -> str:
    """A text of so many claims, of which those about the towers numbered `wrong` are wrong."""
    lies = set(wrong)
    return " ".join(_claim(tower, tower in lies) for tower in range(first, first + claims))


def brain(ask: Ask) -> str:
    """What the model answers: it reads the request and goes by nothing else."""
    system, request = str(ask.messages[0]["content"]), _request(ask)
    said = {tower: height for tower, height in _SAYS.findall(_block("text", request))}
    if '"queries"' in system:
        return json.dumps({"queries": [f"How high is tower {tower}?" for tower in said]})
    shown = {tower: height for tower, height in _SAYS.findall(_block("evidence", request))}
    asked = _ASKS.search(_block("query", request))
    claimed, known = (heights.get(asked[1], "") if asked else "" for heights in (said, shown))
    if '"label"' in system:
        label = "neutral" if not claimed or not known else "entailment" if claimed == known else "contradiction"
        return json.dumps({"text_says": claimed, "evidence_says": known, "label": label})
    return json.dumps({"span": f"{claimed} metres", "replacement": f"{known} metres"})


def page(path: str) -> str | None:
    """The page at `EDITION/TOWER/PLACE`: the first place tells of the tower, others of something else."""
    _, tower, place = path.split("/")
    about = _claim(int(tower), wrong=False) if place == "0" else f"Lamp {place} of tower {tower} is red."
    others = "".join(f"<p>Visitors of house {n} like the view from its roof very much.</p>" for n in range(12))
    head = f"<head><title>Tower {tower}</title></head>"
    return f"<!doctype html><html>{head}<body><article><p>{about}</p>{others}</article></body></html>"


class TowerSearch(SearchTool):
    """Finds pages about the tower that a query names, after a while."""

    name: str = "towers"
    description: str = "Search for pages about towers."
    whole_pages: ClassVar[bool] = False

    origin: str = ""
    """Where the pages are served."""
    latency: float = 0.0
    edition: str = ""
    """Part of every address, so that no page of an earlier run is known."""

    async def _find(self, query: str, limit: int) -> list[Evidence]:
        await asyncio.sleep(self.latency)
        asked = _ASKS.search(query)
        return [_snippet(query, asked[1], place, self) for place in range(limit)] if asked else []


def _claim(tower: int, wrong: bool) -> str:
    return f"Tower {tower} is {tower + (500 if wrong else 100)} metres high."


def _snippet(query: str, tower: str, place: int, search: TowerSearch) -> Evidence:
    address = f"{search.origin}/pages/{search.edition}/{tower}/{place}"
    words = _claim(int(tower), wrong=False) if place == 0 else f"Lamp {place} of tower {tower} is red."
    return evidence(query=query, text=words, title=f"Tower {tower}", source=address, score=1.0)


def _request(ask: Ask) -> str:
    """The message that holds the input, which complaints about a reply may follow."""
    requests = [str(message["content"]) for message in ask.messages if message["role"] == "user"]
    return next(request for request in reversed(requests) if "<text>" in request)


def _block(name: str, request: str) -> str:
    found = re.search(rf"<{name}>\n(.*?)\n</{name}>", request, re.DOTALL)
    return found[1] if found else ""
