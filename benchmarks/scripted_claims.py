"""A small world of houses, with a model that takes responses about them apart and checks what they say."""

import json
import re
from typing import Any

from .stub import Ask

_SAYS = re.compile(r"House (\d+) is (\w+)\.?")
COLOURS = ("red", "green", "blue")
"""The reference calls every house red but the last, of which it says nothing; the response goes through the colours."""


def response(number: int, claims: int) -> dict[str, Any]:
    """The input of a run: so many claims about houses of a street of its own, and the reference about them."""
    houses = [number * 100 + house for house in range(claims)]
    said = [f"House {house} is {COLOURS[place % 2]}." for place, house in enumerate(houses)]
    known = [f"House {house} is red." for house in houses[:-1]]
    return {"text": " ".join(said), "references": [" ".join(known)]}


def labels(claims: int) -> list[str]:
    """The labels of the claims of any response."""
    return [("entailment", "contradiction")[place % 2] for place in range(claims - 1)] + ["neutral"]


def brain(ask: Ask) -> str:
    """What the model answers: it reads the request and goes by nothing else."""
    request = next(str(message["content"]) for message in ask.messages if message["role"] == "user")
    if ask.schema in ("Triplets", "Subsentences"):
        said = enumerate(_SAYS.findall(request), start=1)
        return json.dumps({"claims": [_claim(ask.schema, house, colour, number) for number, (house, colour) in said]})
    known = dict(_SAYS.findall(_block("evidence", request)))
    claims = re.findall(r"\[(\d+)\] House (\d+) is (\w+)", _block("claims", request))
    judgements = [_judgement(int(number), known.get(house, ""), colour) for number, house, colour in claims]
    return json.dumps({"judgements": judgements})


def _claim(schema: str, house: str, colour: str, number: int) -> dict[str, Any]:
    if schema == "Subsentences":
        return {"content": f"House {house} is {colour}.", "sentences": [number]}
    return {"subject": f"House {house}", "predicate": "is", "object": colour, "sentences": [number]}


def _judgement(number: int, known: str, said: str) -> dict[str, Any]:
    label = "neutral" if not known else "entailment" if known == said else "contradiction"
    return {"claim": number, "reason": f"It is {known}." if known else "", "label": label}


def _block(name: str, request: str) -> str:
    return request.split(f"<{name}>\n")[1].split(f"\n</{name}>")[0]
