"""A model that knows the answers to what the README asks, for its commands as they stand there."""

import json
from collections.abc import Callable
from typing import Any

from benchmarks.stub import Ask, Reply

from .cases import by_example
from .reading import Wanted, wanted

KNOWN = {
    "Sydney Opera House": ("The Sydney Opera House was designed by Jørn Utzon.", "Jørn Utzon"),
    "Brahms": ("Johannes Brahms was born in Hamburg. The Elbe flows through Hamburg.", "the Elbe"),
    "eggs": ("boxes = 3\neggs = 12\ndropped = 5\nanswer = boxes * eggs - dropped", "31"),
    "Everest": ("Mount Everest is 8,849 metres high.", "8,849 metres"),
}
"""By a word of the question: what is said about it, and the short answer."""
OTHERWISE = ("Nobody knows that for sure.", "nobody")


def knower(ask: Ask) -> str | Reply:
    """What the model answers."""
    want = wanted(ask)
    answer = _ANSWERS.get(want.task.name)
    return answer(want) if answer else by_example(ask)


def _known(want: Wanted) -> tuple[str, str]:
    return next((said for word, said in KNOWN.items() if word in want.request), OTHERWISE)


def _said(want: Wanted) -> str:
    return _known(want)[0]


def _reasoned(want: Wanted) -> str:
    said, short = _known(want)
    return f"{said} So the answer is: {short}."


def _chain(want: Wanted) -> str:
    said, short = _known(want)
    return f"First, {said} The answer is {short}."


def _program(want: Wanted) -> str:
    return json.dumps({"code": _known(want)[0]})


def _agreement(want: Wanted) -> str:
    said, short = _known(want)
    label = "entailment" if short in want.request.partition("<evidence>")[2] else "neutral"
    return json.dumps({"text_says": said, "evidence_says": said if label == "entailment" else "", "label": label})


def _claims(want: Wanted) -> str:
    claim = {"subject": "The Sydney Opera House", "predicate": "was designed by", "object": "Jørn Utzon"}
    return json.dumps({"claims": [{**claim, "sentences": [1]}]})


def _judgement(want: Wanted) -> str:
    label = "entailment" if "Utzon" in want.request.partition("<claims>")[0] else "neutral"
    return json.dumps({"judgements": [{"claim": 1, "reason": "It says so.", "label": label}]})


def _turn(want: Wanted) -> Reply:
    """Look the question up once, and accept what there is, or answer."""
    if not any(message["role"] == "tool" for message in want.ask.messages):
        return Reply(tool_calls=(("search", {"query": next(iter(want.request.splitlines()[1:]), "")}),))
    text = "" if "<text>" in want.request else _reasoned(want)
    end: dict[str, Any] = {"plausibility": "It is one.", "correctness": "It is right.", "accepted": True, "text": text}
    return Reply(tool_calls=(("conclude", {**end, "answer": _known(want)[1]}),))


_CONTENT = json.dumps({"plausibility": "It is one.", "correctness": "It is right.", "accepted": True})

_ANSWERS: dict[str, Callable[[Wanted], str | Reply]] = {
    "draft": _said,
    "cot": _reasoned,
    "samples": _reasoned,
    "chains": _chain,
    "program": _program,
    "program_critique": lambda want: _CONTENT,
    "untested_critique": lambda want: _CONTENT,
    "queries": lambda want: json.dumps({"queries": ["Who designed the Sydney Opera House?"]}),
    "agreement": _agreement,
    "extract": _claims,
    "check": _judgement,
    "react": _turn,
    "qa_critique": _turn,
    "qa_reasoning": _turn,
    "critique_reasoning": _turn,
    "critique": _turn,
    "search_queries": lambda want: json.dumps({"queries": ["How high is Mount Everest?"]}),
    "chain": lambda want: json.dumps({"paths": [[1]]}),
    "respond": _said,
}
