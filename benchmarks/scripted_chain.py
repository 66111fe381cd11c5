"""A model that thinks in chains of three sentences about three towers, of which the second is wrong.

Its samples come to five different answers, so that Verify-and-Edit looks everything up. What it answers follows from
the request alone. The search and the pages are those of `scripted`.
"""

import json
import re

from . import scripted
from .stub import Ask, Reply

SAMPLES, SENTENCES = 5, 3

_ASKED = re.compile(r"tower (\d+)", re.IGNORECASE)
_HEIGHT = re.compile(r"is (\d+) metres high")


def question(item: int = 1) -> str:
    """What is asked: about the last of the item's towers."""
    return f"How high is tower {SENTENCES * item}?"


def chain(wrong: bool, answer: int, item: int = 1) -> str:
    """A chain of thought about the item's towers, with the second one's height wrong or right."""
    towers = range(SENTENCES * (item - 1) + 1, SENTENCES * item + 1)
    lies = (towers[1],) if wrong else ()
    facts = [scripted.text(1, lies, tower) for tower in towers]
    return f"First, {facts[0]} Second, {facts[1]} Third, {facts[2]} The answer is {answer} metres."


def corrected(item: int = 1) -> str:
    """What comes of it when it is verified and answered again."""
    return chain(False, SENTENCES * item + 100, item)


def brain(ask: Ask) -> str | Reply:
    """What the model answers."""
    request = str(ask.messages[-1]["content"])
    if "<sentence>" in request:
        asked = _ASKED.search(request.split("<sentence>")[1])
        return f"How high is tower {asked[1] if asked else '?'}?"
    if "<evidence>" in request:
        said = re.search(r"Tower \d+ is \d+ metres high\.", request)
        return json.dumps({"answerable": bool(said), "text": said[0] if said else ""})
    if "<rationale>" in request:
        return f"The answer is {_HEIGHT.findall(request)[-1]} metres."
    item = int(_ASKED.findall(request)[-1]) // SENTENCES
    first, *others = [chain(True, answer, item) for answer in range(SAMPLES)]
    return Reply(first, more=tuple(others), logprobs=((-0.5,),) * SAMPLES)
