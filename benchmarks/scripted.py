"""A small world of towers, with a model, a search and pages that know it: RARR's whole loop without a network.

Text, questions, evidence and verdicts follow from each other, so that a run can be judged: every wrong height is put
right, and nothing else is touched.
"""

import json
import re
from collections.abc import Iterable
from typing import ClassVar

from pydantic import Field

from errata.state import Evidence
from errata.tools import SearchTool, evidence

from .stub import Ask
from .waits import Delay

_SAYS = re.compile(r"Tower (\d+) is (\d+) metres high\.")
_STATEMENT = re.compile(r"^Statement: (.*)\n\nCorrected statement:", re.MULTILINE | re.DOTALL)
_ASKS = re.compile(r"How high is tower (\d+)\?")


def text(claims: int, wrong: Iterable[int] = (), first: int = 1) -> str:
    """A text of so many claims, of which those about the towers numbered `wrong` are wrong."""
    lies = set(wrong)
    return " ".join(_claim(tower, tower in lies) for tower in range(first, first + claims))


def brain(ask: Ask) -> str:
    """What the model answers: it reads the request and goes by nothing else."""
    system, request = str(ask.messages[0]["content"]), _request(ask)
    if "<text>" not in request:
        return _grounded(request)
    said = {tower: height for tower, height in _SAYS.findall(_block("text", request))}
    if '"queries"' in system:
        return json.dumps({"queries": [f"How high is tower {tower}?" for tower in said]})
    if '"agreements"' in system:
        pairs = re.split(r"^\[\d+\]", _block("pairs", request), flags=re.MULTILINE)[1:]
        return json.dumps({"agreements": [{"pair": n, **_compared(said, pair)} for n, pair in enumerate(pairs, 1)]})
    if "<pairs>" in request:
        right = dict(_SAYS.findall(_block("pairs", request)))
        told = " ".join(f"Tower {tower} is {right.get(tower, height)} metres high." for tower, height in said.items())
        return json.dumps({"text": told})
    compared = _compared(said, _block("query", request) + _block("evidence", request))
    if '"label"' in system:
        return json.dumps(compared)
    wrong, right_one = (f"{compared[side]} metres" for side in ("text_says", "evidence_says"))
    return _block("text", request).replace(wrong, right_one)


def _compared(said: dict[str, str], pair: str) -> dict[str, str]:
    """What text and evidence say on the question of a pair."""
    asked = _ASKS.search(pair)
    claimed, known = (heights.get(asked[1], "") if asked else "" for heights in (said, dict(_SAYS.findall(pair))))
    label = "neutral" if not claimed or not known else "entailment" if claimed == known else "contradiction"
    return {"text_says": claimed, "evidence_says": known, "label": label}


def _grounded(request: str) -> str:
    """The passage put right by all evidence at once: written again, or change by change."""
    right = dict(_SAYS.findall(_block("evidence", request)))
    if found := _STATEMENT.search(request):
        return _SAYS.sub(lambda said: _high(said[1], str(right.get(said[1], said[2]))), found[1])
    sentences, changes = [], []
    for number, (tower, height) in enumerate(_SAYS.findall(_block("sentences", request)), 1):
        known = right.get(tower)
        label = "not stated" if known is None else "supported" if known == height else "contradicted"
        quote = _high(tower, str(known)) if known else ""
        shown = _block("evidence", request).partition(quote)[0].count("\ntext: ") if quote else 0
        sentences.append({"number": number, "label": label, "evidence": shown, "quote": quote})
        if label == "contradicted":
            changes.append({**_CHANGE, "quote": quote, "evidence": shown, "before": height, "after": known})
    return json.dumps({"sentences": sentences, "changes": changes})


_CHANGE = {"why": "It has another height."}


def _high(tower: str, height: str) -> str:
    return f"Tower {tower} is {height} metres high."


def page(path: str) -> str | None:
    """The page at `TOWER/PLACE`: the first place tells of the tower, others of something else."""
    tower, place = path.split("/")
    paragraphs = "".join(f"<p>{words}</p>" for words in _says(int(tower), int(place)))
    head = f"<head><title>Tower {tower}</title></head>"
    return f"<!doctype html><html>{head}<body><article>{paragraphs}</article></body></html>"


class TowerSearch(SearchTool):
    """Finds pages on the web about the tower that a query names, after a while."""

    name: str = "towers"
    description: str = "Search for pages about towers."
    whole_pages: ClassVar[bool] = False

    origin: str = ""
    """Where the pages are served."""
    delay: Delay = Field(default_factory=Delay)

    async def _find(self, query: str, limit: int) -> list[Evidence]:
        await self.delay.wait()
        asked = _ASKS.search(query)
        return [self._found(query, int(asked[1]), place) for place in range(limit)] if asked else []

    def _found(self, query: str, tower: int, place: int) -> Evidence:
        address = f"{self.origin}/pages/{tower}/{place}"
        said = _says(tower, place)
        text = "\n\n".join(said) if self.whole_pages else said[0]
        return evidence(query=query, text=text, title=f"Tower {tower}", source=address, score=1.0)


class TowerLibrary(TowerSearch):
    """Has the same pages at hand, whole."""

    whole_pages: ClassVar[bool] = True


def _says(tower: int, place: int) -> list[str]:
    """The paragraphs of a page. What is said in the first is the snippet of it."""
    about = f"Lamp {place} of tower {tower} is red." if place else _claim(tower, wrong=False)
    return [about, *(f"Visitors of house {n} like the view from its roof very much." for n in range(12))]


def _claim(tower: int, wrong: bool) -> str:
    return f"Tower {tower} is {tower + (500 if wrong else 100)} metres high."


def _request(ask: Ask) -> str:
    """The message that holds the input, which complaints about a reply may follow."""
    requests = [str(message["content"]) for message in ask.messages if message["role"] == "user"]
    return next(
        request
        for request in reversed(requests)
        if re.search(r"<(text|sentences)>|^Statement: ", request, re.MULTILINE)
    )


def _block(name: str, request: str) -> str:
    found = re.search(rf"<{name}>\n(.*?)\n</{name}>", request, re.DOTALL)
    return found[1] if found else ""
