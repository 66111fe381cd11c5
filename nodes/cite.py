"""Citing: which evidence a change or an answer rests on if nobody named it. Cited evidence contains the words."""

from collections.abc import Iterable, Sequence, Set
from itertools import chain

from ..state import Attribution, Edit, Evidence, cited, segments
from ..state.text.segments import sentences_of, tokens

UNTELLING = frozenset(tokens("yes no true false not"))
"""Words that do not identify their source."""


def covering(words: Iterable[str], pieces: Sequence[Evidence]) -> list[Evidence]:
    """The fewest pieces of evidence that together contain all of the words; none if a word is missing from all of them.

    Args:
        words: Tokens of the inserted text, or of an answer.
        pieces: The evidence that was shown; the first of equals is taken.
    """
    missing = set(words)
    if missing <= UNTELLING:
        return []
    vocabularies = [set(tokens(f"{piece['title']} {piece['text']}")) for piece in pieces]
    chosen: list[int] = []
    while missing:
        best = max(range(len(pieces)), key=lambda place: len(missing & vocabularies[place]), default=None)
        if best is None or not missing & vocabularies[best]:
            return []
        chosen.append(best)
        missing -= vocabularies[best]
    return [pieces[place] for place in sorted(chosen)]


def closest_sentence(words: Set[str], pieces: Iterable[Evidence]) -> str:
    """The sentence of some evidence, word for word, that has most of some tokens."""
    texts = [sentence for piece in pieces for sentence in sentences_of(piece["text"]) or [piece["text"]]]
    return max(texts, key=lambda sentence: len(words & set(tokens(sentence))), default="")


def gathered(*lists: Iterable[Evidence]) -> list[Evidence]:
    """All evidence, each piece once, in the order of its first appearance."""
    pieces: dict[str, Evidence] = {}
    for piece in chain.from_iterable(lists):
        pieces.setdefault(piece["id"], piece)
    return list(pieces.values())


def credit(parts: Iterable[Attribution], original: str, edits: list[Edit]) -> None:
    """Put the evidence for each applied edit first in the sentence of the final text that contains the edit."""
    start = 0
    for segment in segments(original, edits):
        end = start + len(segment["after"])
        ids = [each for number in segment["edits"] for each in cited(edits[number])]
        for part in parts if ids else ():
            if part["start"] <= start < part["end"] or start < part["start"] < end:
                part["evidence"] = list(dict.fromkeys([*ids, *part["evidence"]]))
        start = end
