"""A person's decisions on a result: they keep each change, or restore the old words."""

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Collection, Sequence
from itertools import accumulate, pairwise
from typing import TypeVar, cast

from typing_extensions import TypedDict

from ...nodes.review import rejected
from ...state import Attribution, Edit, Result, Unresolved, cited, cites
from ...state.outcomes import status_of
from ...state.text.segments import Span
from ..reports.columns import placed_parts

Placed = TypeVar("Placed", Attribution, Unresolved)

LEFT = "a person rejected the change"
STALE = ("cited", "answer", "original_answer")
"""What some methods say about the text as they left it."""


class Piece(TypedDict):
    """A stretch of the text before and after its correction."""

    before: str
    after: str
    change: int
    """The number of the change that replaced it, from 1; 0 if nothing did."""


def pieces(result: Result) -> list[Piece]:
    """The text in pieces; empty if the edits of the result do not lead to its text.

    Edits in the same place are one change: none of them can be undone alone. The pieces joined give both texts; with
    `before` instead of `after` for rejected changes, they give the text as the person wants it.
    """
    return changes(result)[0]


def changes(result: Result) -> tuple[list[Piece], list[list[Edit]]]:
    """The text in pieces, as `pieces` gives them, and the edits of each change, in order."""
    parts = placed_parts(result)
    if parts is None:
        return [], []
    together = dict.fromkeys(tuple(part["edits"]) for part in parts if part["edits"])
    numbers = {(): 0, **{places: number for number, places in enumerate(together, start=1)}}
    cut: list[Piece] = [
        {"before": part["before"], "after": part["after"], "change": numbers[tuple(part["edits"])]} for part in parts
    ]
    return cut, [[result["edits"][place] for place in places] for places in together]


def decided(result: Result, unwanted: Collection[int]) -> Result:
    """The result without the changes that a person rejected: their sentences count as contradicted and not corrected.

    Args:
        result: The result of a method.
        unwanted: The numbers of the rejected changes.

    Returns:
        The result with its text, edits, sentences and status after the decisions.

    Raises:
        ValueError: If there are no such changes.
    """
    cut, made_of = changes(result)
    if not set(unwanted) <= set(range(1, len(made_of) + 1)):
        raise ValueError("there is no such change")
    if not unwanted:
        return result
    text, edits = "", list[Edit]()
    for piece in cut:
        is_kept = piece["change"] not in unwanted
        if piece["change"]:
            edit = _edit(piece, len(text), made_of[piece["change"] - 1])
            edits.append(edit if is_kept else rejected(edit))
        text += piece["after"] if is_kept else piece["before"]
    move = _moving(cut, unwanted)
    attribution = [_placed(part, text, move) for part in result["attribution"]]
    unresolved = [_placed(contradiction, text, move) for contradiction in result["unresolved"]]
    put_back = _put_back(cut, unwanted)
    starts, ends = [start for start, _ in put_back], [end for _, end in put_back]
    for part, original_part in zip(attribution, result["attribution"], strict=True):
        near = slice(bisect_left(ends, original_part["start"]), bisect_right(starts, original_part["end"]))
        if any(_overlap((original_part["start"], original_part["end"]), place) for place in put_back[near]):
            part["status"] = "unresolved"
            unresolved.append(_unresolved(part))
    remaining = cast(Result, {name: value for name, value in result.items() if name not in STALE})
    return {
        **remaining,
        "text": text,
        "edits": [*edits, *(edit for edit in result["edits"] if not edit["applied"])],
        "attribution": attribution,
        "unresolved": unresolved,
        "status": status_of(result["original"], text, attribution, unresolved),
    }


def _edit(piece: Piece, start: int, made_of: Sequence[Edit]) -> Edit:
    """One edit for a piece, however many edits made it."""
    return {
        **cites(evidence_id for edit in made_of for evidence_id in cited(edit)),
        "before": piece["before"],
        "after": piece["after"],
        "start": start,
        "end": start + len(piece["before"]),
        "reason": "\n".join(dict.fromkeys(edit["reason"] for edit in made_of if edit["reason"])),
        "applied": True,
    }


def _moving(cut: Sequence[Piece], unwanted: Collection[int]) -> Callable[[Span], Span]:
    """A function that says where a span of the corrected text is in the text with decisions.

    Words that were restored at the end of a span belong to it.
    """
    lengths = (len(piece["before" if piece["change"] in unwanted else "after"]) for piece in cut)
    old, new = [0, *accumulate(len(piece["after"]) for piece in cut)], [0, *accumulate(lengths)]

    def inside(number: int, place: int) -> int:
        return min(new[number] + place - old[number], new[number + 1])

    def move(span: Span) -> Span:
        start, end = (min(max(place, 0), old[-1]) for place in span)
        first, last = bisect_left(old, start), bisect_right(old, end) - 1
        return (
            new[first] if old[first] == start else inside(first - 1, start),
            new[last] if old[last] == end else inside(last, end),
        )

    return move


def _put_back(cut: Sequence[Piece], unwanted: Collection[int]) -> list[Span]:
    """Where the corrected text has rejected words."""
    spans = pairwise([0, *accumulate(len(piece["after"]) for piece in cut)])
    return [span for piece, span in zip(cut, spans, strict=True) if piece["change"] in unwanted]


def _overlap(sentence: Span, place: Span) -> bool:
    """Whether a place, which may be empty, touches a sentence."""
    (first, last), (start, end) = sentence, place
    return (start < last and first < end) or first <= start == end <= last


def _placed(part: Placed, text: str, move: Callable[[Span], Span]) -> Placed:
    start, end = move((part["start"], part["end"]))
    return cast(Placed, {**part, "sentence": text[start:end], "start": start, "end": end})


def _unresolved(part: Attribution) -> Unresolved:
    return {
        "sentence": part["sentence"],
        "start": part["start"],
        "end": part["end"],
        "question": "",
        "evidence": next(iter(part["evidence"]), ""),
        "reason": "the evidence words it differently from the sentence",
        "left": LEFT,
    }
