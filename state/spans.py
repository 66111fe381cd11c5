"""Character spans of edits: replaying them, and seeing where they fall in the original and in the final text."""

import re
from collections.abc import Iterable
from itertools import pairwise
from typing import NamedTuple

from rapidfuzz.distance import Levenshtein
from typing_extensions import TypedDict

from .records import Edit


class Segment(TypedDict):
    """A stretch of text that is either untouched (no edits) or replaced."""

    before: str
    after: str
    edits: list[int]
    """Positions, in the list of edits, of those that made this replacement; empty where the text is untouched."""


class Change(NamedTuple):
    """What has to be put in the place of text[start:end]."""

    start: int
    end: int
    after: str


_CJK = r"\u3040-\u30ff\u3400-\u9fff"
_TOKEN = re.compile(rf"[{_CJK}]|[^\W_{_CJK}]+(?:[.,'’\-][^\W_{_CJK}]+)*|\S")
JOINTS = frozenset("of de la van von der den du da di al bin ibn".split())
"""A lone word of these between two changes, as in `Jan van Eyck`, is taken in with them."""


def changes(before: str, after: str) -> list[Change]:
    """The fewest words to replace so that one text becomes the other, from left to right; offsets are of `before`.

    White space that differs between words that stay is left as it is.
    """
    mine, theirs = _placed(before), _placed(after)
    codes = Levenshtein.opcodes([token for token, *_ in mine], [token for token, *_ in theirs])
    runs: list[list[int]] = []
    for code in codes:
        if code.tag == "equal":
            continue
        if runs and _is_joint(mine[runs[-1][1] : code.src_start]):
            runs[-1][1], runs[-1][3] = code.src_end, code.dest_end
        else:
            runs.append([code.src_start, code.src_end, code.dest_start, code.dest_end])
    return [_change(before, after, _cut(before, mine, *run[:2]), _cut(after, theirs, *run[2:]), run) for run in runs]


def _placed(text: str) -> list[tuple[str, int, int]]:
    return [(found.group(), *found.span()) for found in _TOKEN.finditer(text)]


def _is_joint(between: list[tuple[str, int, int]]) -> bool:
    return not between or (len(between) == 1 and between[0][0] in JOINTS)


def _cut(text: str, tokens: list[tuple[str, int, int]], first: int, last: int) -> tuple[int, int]:
    """Offsets of tokens[first:last] with the white space on both sides."""
    return (tokens[first - 1][2] if first else 0), (tokens[last][1] if last < len(tokens) else len(text))


def _change(before: str, after: str, mine: tuple[int, int], theirs: tuple[int, int], run: list[int]) -> Change:
    """One change, without what both sides have in common at their ends: white space, where words stay words."""
    old, new = before[slice(*mine)], after[slice(*theirs)]
    heads = len(old) - len(old.lstrip()), len(new) - len(new.lstrip())
    tails = len(old) - len(old.rstrip()), len(new) - len(new.rstrip())
    if run[0] < run[1] and run[2] < run[3]:  # words for words: the white space around them stays that of the text
        return Change(mine[0] + heads[0], mine[1] - tails[0], new.strip())
    if all(heads):
        return Change(mine[0] + heads[0], mine[1], new[heads[1] :])
    if all(tails):
        return Change(mine[0], mine[1] - tails[0], new[: len(new) - tails[1]])
    return Change(*mine, new)


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
