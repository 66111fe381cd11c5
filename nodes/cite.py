"""Cite: which evidence a change or an answer rests on, where nobody has named it. What is cited says the words."""

from collections.abc import Iterable, Sequence
from itertools import chain

from ..state import Attribution, Edit, Evidence, cited, segments
from ..state.text.segments import tokens

UNTELLING = frozenset(tokens("yes no true false not"))
"""Words that say nothing of where they come from."""


def saying(words: Iterable[str], pieces: Sequence[Evidence]) -> list[Evidence]:
    """The fewest pieces of evidence that together have all of the words; none if a word is in none of them.

    Args:
        words: Tokens of what was put in, or of an answer.
        pieces: What was shown to whoever put it in; of equals the first is taken.
    """
    missing = set(words)
    if missing <= UNTELLING:
        return []
    said = [set(tokens(f"{piece['title']} {piece['text']}")) for piece in pieces]
    chosen: list[int] = []
    while missing:
        best = max(range(len(pieces)), key=lambda place: len(missing & said[place]), default=None)
        if best is None or not missing & said[best]:
            return []
        chosen.append(best)
        missing -= said[best]
    return [pieces[place] for place in sorted(chosen)]


def gathered(*lists: Iterable[Evidence]) -> list[Evidence]:
    """All evidence, each piece once, as and where it came first."""
    pieces: dict[str, Evidence] = {}
    for piece in chain.from_iterable(lists):
        pieces.setdefault(piece["id"], piece)
    return list(pieces.values())


def credit(parts: Iterable[Attribution], original: str, edits: list[Edit]) -> None:
    """Put the evidence behind each applied edit first in the sentence of the final text that the edit is in."""
    start = 0
    for segment in segments(original, edits):
        end = start + len(segment["after"])
        ids = [each for number in segment["edits"] for each in cited(edits[number])]
        for part in parts if ids else ():
            if part["start"] <= start < part["end"] or start < part["start"] < end:
                part["evidence"] = list(dict.fromkeys([*ids, *part["evidence"]]))
        start = end
