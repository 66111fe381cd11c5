"""The original and the final text of a result in two columns, with the edits and the evidence in place."""

import re
from collections import deque
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from ...state import Attribution, Result, Segment, segments
from ...state.text.diff import by_words
from ...state.text.spans import untouched

TOLD = ("unresolved", "nothing found", "not checked")
_LINES = re.compile(r"[^\n]*\n+|[^\n]+")


class Piece(NamedTuple):
    """A stretch of one column."""

    text: str
    edits: list[int]
    """The numbers of the edits that replaced it; empty if the text is untouched."""
    marks: list[int]
    """The numbers of the evidence for the sentence that ends with it."""
    status: str = ""
    """The status of that sentence, if readers must know it: contradicted, or not checked."""


Passage = list[Piece]
Row = list[Segment]


def placed_parts(result: Result) -> list[Segment] | None:
    """The original and the final text in matching parts; None if the edits do not lead from one to the other."""
    parts = by_words(segments(result["original"], result["edits"]))
    befores, afters = ("".join(part[side] for part in parts) for side in ("before", "after"))
    return parts if (befores, afters) == (result["original"], result["text"]) else None


def columns(result: Result, numbers: Mapping[str, int]) -> tuple[list[Passage], list[Passage], bool]:
    """The passages of the original and of the final text, side by side, and whether the edits could be placed.

    The pieces of a column joined always give its text, even if the edits do not lead from one text to the other: then
    both are shown without highlights.
    """
    parts = placed_parts(result)
    rows = _rows(_plain(result["original"]) if parts is None else parts)
    final = _rows(_plain(result["text"])) if parts is None else rows
    original_passages = [
        [Piece(part["before"], _from_one(part), []) for part in row if part["before"] or part["edits"]] for row in rows
    ]
    shown_statuses = TOLD if result["status"] != "not checked" else ("unresolved",)
    return original_passages, _marked(final, result["attribution"], numbers, shown_statuses), parts is not None


def _rows(parts: Sequence[Segment]) -> list[Row]:
    """Cut at the line ends that both texts share, so that matching lines can be shown side by side."""
    rows: list[Row] = [[]]
    for part in parts:
        if part["edits"]:
            rows[-1].append(part)
            continue
        for line in _LINES.findall(part["after"]):
            rows[-1] += _plain(line)
            if line.endswith("\n"):
                rows.append([])
    return [row for row in rows if row]


def _marked(
    rows: list[Row], attribution: Sequence[Attribution], numbers: Mapping[str, int], shown_statuses: Sequence[str]
) -> list[Passage]:
    """The final text, with the numbers of its evidence after each sentence, and its status if that must be shown.

    A sentence that ends inside a replacement gets its marks after it, because links cannot be nested.
    """
    length = sum(len(part["after"]) for row in rows for part in row)
    ends = sorted((min(sentence["end"], length), position) for position, sentence in enumerate(attribution))
    waiting = deque(
        (
            end,
            sorted(
                {numbers[evidence_id] for evidence_id in attribution[position]["evidence"] if evidence_id in numbers}
            ),
            attribution[position]["status"] if attribution[position]["status"] in shown_statuses else "",
        )
        for end, position in ends
    )
    passages: list[Passage] = []
    offset = 0
    for row in rows:
        passage: Passage = []
        for part in row:
            text, start, end = part["after"], 0, offset + len(part["after"])
            marks: list[int] = []
            status = ""
            while waiting and waiting[0][0] <= end:
                stop, citations, shown_status = waiting.popleft()
                if part["edits"]:
                    marks += [number for number in citations if number not in marks]
                    status = shown_status or status
                elif citations or shown_status:
                    cut = max(stop - offset, start)
                    passage.append(Piece(text[start:cut], [], citations, shown_status))
                    start = cut
            if text[start:] or part["edits"]:
                passage.append(Piece(text[start:], _from_one(part), marks, status))
            offset = end
        passages.append(passage)
    return passages


def _plain(text: str) -> list[Segment]:
    return [untouched(text)] if text else []


def _from_one(part: Segment) -> list[int]:
    return [position + 1 for position in part["edits"]]
