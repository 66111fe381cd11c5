"""Character spans of edits: replaying them, and seeing where they fall in the original and in the final text."""

from collections.abc import Iterable
from itertools import pairwise

from typing_extensions import TypedDict

from .records import Edit


class Segment(TypedDict):
    """A stretch of text that is either untouched (no edits) or replaced."""

    before: str
    after: str
    edits: list[int]
    """Positions, in the list of edits, of those that made this replacement; empty where the text is untouched."""


def replay(original: str, edits: Iterable[Edit]) -> str:
    """Apply the applied edits in order.

    Raises ValueError if an edit's span does not select its `before`.
    """
    text = original
    for edit in edits:
        if not edit["applied"]:
            continue
        if text[edit["start"] : edit["end"]] != edit["before"]:
            raise ValueError(f"span {edit['start']}:{edit['end']} does not select {edit['before']!r}")
        text = text[: edit["start"]] + edit["after"] + text[edit["end"] :]
    return text


def segments(original: str, edits: list[Edit]) -> list[Segment]:
    """Cut original and final text into matching segments.

    Joining every `before` gives the original, joining every `after` the final text. Edits that touch the same place
    merge into one segment, so that the original shows what was replaced, however often it was.
    """
    parts = [untouched(original)]
    for position, edit in enumerate(edits):
        if edit["applied"]:
            parts = _apply(parts, position, edit)
    return [part for part in parts if part["before"] or part["after"]]


def _apply(parts: list[Segment], position: int, edit: Edit) -> list[Segment]:
    left: list[Segment] = []
    right: list[Segment] = []
    merged: Segment = {"before": "", "after": edit["after"], "edits": [position]}
    offset = 0
    for part in parts:
        text = part["after"]
        start, end = edit["start"] - offset, edit["end"] - offset
        offset += len(text)
        if start >= len(text):
            left.append(part)
        elif end <= 0:
            right.append(part)
        else:
            head, tail = text[: max(start, 0)], text[end:]
            if part["edits"]:
                # A part of an earlier replacement is replaced again: it is taken in as a whole.
                merged["before"] += part["before"]
                merged["after"] = head + merged["after"] + tail
                merged["edits"] = sorted({*merged["edits"], *part["edits"]})
            else:
                merged["before"] += text[max(start, 0) : end]
                left += [untouched(head)] if head else []
                right += [untouched(tail)] if tail else []
    return [*left, merged, *right]


def untouched(text: str) -> Segment:
    return {"before": text, "after": text, "edits": []}


def marked(text: str, spans: Iterable[tuple[int, int]]) -> list[tuple[str, list[int]]]:
    """Cut a text where spans begin and end: each stretch with the positions of the spans that it lies in.

    Joined, the stretches are the text. Spans may overlap; empty ones mark nothing.
    """
    known = list(spans)
    cuts = sorted({0, len(text), *(min(max(cut, 0), len(text)) for span in known for cut in span)})
    return [
        (text[first:last], [number for number, (start, end) in enumerate(known) if start <= first and last <= end])
        for first, last in pairwise(cuts)
    ]
