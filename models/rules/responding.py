"""Responding by rules: quoting the evidence, scoring a response against it, and saying what it leaves out."""

from typing import Any

from ...state.text import sentences, tokens
from ..tasks.dialogue import Feedback, Utility
from ..tasks.drafting import Draft
from .agreeing import Finding, judge
from .ranking import rank

USED = 0.5
"""Share of a statement's words from which a response uses it."""
UNFINISHED = 0.5
"""Fluency of a text that breaks off."""
RUN = 4
"""Words of a run that a fluent text does not repeat."""
LINES = 3
"""Statements that feedback names, at most."""
NOTHING_FOUND = "I have found nothing about that."


def respond(task_input: dict[str, Any]) -> Draft:
    """Quote the statement that answers the message best; after feedback, all of them."""
    passages = task_input["passages"]
    if not passages:
        return Draft(text=NOTHING_FOUND)
    if task_input["feedback"]:
        return Draft(text=" ".join(passages))
    scores = rank({"query": task_input["question"], "passages": passages}).scores
    return Draft(text=passages[scores.index(max(scores))])


def utility(task_input: dict[str, Any]) -> Utility:
    """Compare a response with the evidence, word by word.

    fluency
        whether it ends, and repeats no run of words
    informativeness
        how much it says of the statement that it says most of
    factuality
        0 if the evidence contradicts it; otherwise how much of it stands in the evidence or in the message
    """
    text, passages = task_input["text"], task_input["passages"]
    conflict = contradicted(task_input)
    said = set(tokens(text))
    known = {token for passage in [*passages, task_input["question"]] for token in tokens(passage)}
    return Utility(
        reason=f"The evidence contradicts it: {_quoted(conflict[1])}" if conflict else "",
        fluency=_fluency(text),
        informativeness=max((_share(set(tokens(passage)), said) for passage in passages), default=0.0),
        factuality=0.0 if conflict else _share(said, known),
    )


def feedback(task_input: dict[str, Any]) -> Feedback:
    """Templates, filled with the statement that contradicts the response and those that it does not use."""
    lines: list[str] = []
    said = set(tokens(task_input["text"]))
    conflict = contradicted(task_input)
    if conflict:
        finding, statement = conflict
        claim = finding.claim.says if finding.claim else task_input["text"]
        lines.append(f"The response says {_quoted(claim)}.")
        lines.append(f"That is inconsistent with this evidence: {_quoted(statement)}")
    used = conflict[1] if conflict else ""
    unused = [
        statement
        for statement in _statements(task_input["passages"])
        if statement != used and _share(set(tokens(statement)), said) < USED
    ]
    lines += [f"The response does not use this evidence: {_quoted(statement)}" for statement in unused[:LINES]]
    if not conflict and task_input["reason"]:
        lines.append(task_input["reason"])
    if not lines:
        lines.append("Much of the response is not in the evidence: say what the evidence says, and leave out the rest.")
    return Feedback(text="\n".join(lines), contradicts=bool(conflict))


def contradicted(task_input: dict[str, Any]) -> tuple[Finding, str] | None:
    """The first statement of the evidence that contradicts the response, if one does."""
    text = task_input["text"]
    claims = [text[start:end] for start, end in sentences(text)]
    for statement in _statements(task_input["passages"]):
        given = {"text": text, "question": task_input["question"], "evidence": statement, "title": ""}
        for claim in claims:
            finding = judge({**given, "query": claim})
            if finding.label == "contradiction":
                return finding, statement
    return None


def _statements(passages: list[str]) -> list[str]:
    return [passage[start:end] for passage in passages for start, end in sentences(passage)]


def _fluency(text: str) -> float:
    said = text.lower().split()
    runs = [tuple(said[place : place + RUN]) for place in range(len(said) - RUN + 1)]
    fresh = len(set(runs)) / len(runs) if runs else 1.0
    ends = text.rstrip().endswith((".", "!", "?", "…", '"', "”", ")", "。", "！", "？"))
    return fresh if ends else fresh * UNFINISHED


def _share(wanted: set[str], there: set[str]) -> float:
    """How much of the wanted words is there; none is wanted of an empty set."""
    return len(wanted & there) / len(wanted) if wanted else 0.0


def _quoted(text: str) -> str:
    return f'"{" ".join(text.split())}"'
