"""The tasks `edit` and `edit_all`: put the evidence's fact in the place of the text's, in the text's own style."""

from contextlib import suppress
from typing import Any

from ...state.errors import Undecided
from ...state.spans import inside_token, whole
from ..outputs import Edited, Revision, Sourced
from .agreeing import Finding, judge
from .negation import turned
from .styles import in_style_of

MOST_CHANGES = 6
"""Facts corrected in one edit before we give up."""


def edit(task_input: dict[str, Any]) -> Revision:
    """The smallest change after which the evidence no longer contradicts the text.

    Raises ValueError if the evidence does not contradict the text, and Undecided if no rule can mend it.
    """
    changed = corrected(task_input)
    if changed == task_input["text"]:
        raise ValueError("the evidence does not contradict the text")
    return difference(task_input["text"], changed)


def edit_all(task_input: dict[str, Any]) -> Edited:
    """Every edit that is decided, pair by pair, each on the text as the ones before it left it."""
    text, made = task_input["text"], []
    given = {"question": task_input["question"], "before": task_input.get("before", "")}
    for number, pair in enumerate(task_input["pairs"], start=1):
        with suppress(ValueError):  # what no rule can mend stays as it is
            before, text = text, corrected({**given, **pair, "text": text})
            if text != before:
                change = difference(before, text)
                made.append(Sourced(before=change.span, after=change.replacement, evidence=number))
    return Edited(text=text, changes=made)


def corrected(task_input: dict[str, Any]) -> str:
    """The text after which the evidence no longer contradicts it. Raises Undecided if no rule can mend it."""
    text: str = task_input["text"]
    for _ in range(MOST_CHANGES):
        finding = judge({**task_input, "text": text})
        if finding.label != "contradiction":
            return text
        text = apply(text, finding)
    raise Undecided("the evidence still contradicts the text after every correction that the rules know")


def apply(text: str, finding: Finding) -> str:
    """The text with the contradicted fact replaced, or the contradicted statement turned round.

    Raises ValueError if no rule can do it.
    """
    if finding.fact is None or finding.other is None:
        return turned(text, finding.claim) if finding.claim else text
    evidence = finding.evidence.text if finding.evidence else ""
    start, end, words = in_style_of(text, finding.fact, finding.other, evidence)
    return text[:start] + words + text[end:]


def difference(before: str, after: str) -> Revision:
    """One change that turns one text into the other: whole words that occur only once."""
    start = 0
    while start < min(len(before), len(after)) and before[start] == after[start]:
        start += 1
    tail = 0
    while tail < min(len(before), len(after)) - start and before[-1 - tail] == after[-1 - tail]:
        tail += 1
    end = len(before) - tail
    start, end = _whole_words(before, start, end)
    while (start, end) != (0, len(before)) and not _is_only_one(before, start, end):
        start, end = _wider(before, start, end)
    return Revision(span=before[start:end], replacement=after[start : len(after) - (len(before) - end)])


def _is_only_one(text: str, start: int, end: int) -> bool:
    part = text[start:end]
    if not part.strip() or text.find(part) != start or text.find(part, start + 1) >= 0:
        return False
    return whole(text, part) == [(start + len(part) - len(part.lstrip()), end - len(part) + len(part.rstrip()))]


def _whole_words(text: str, start: int, end: int) -> tuple[int, int]:
    while inside_token(text, start):
        start -= 1
    while inside_token(text, end):
        end += 1
    return start, end


def _wider(text: str, start: int, end: int) -> tuple[int, int]:
    """One word more on the left, or on the right where there is nothing left of it."""
    if start > 0:
        left = start - 1
        return _whole_words(text, left if not text[left].isspace() else max(left - 1, 0), end)
    right = end + 1
    return _whole_words(text, start, min(right + 1, len(text)) if text[end].isspace() else right)
