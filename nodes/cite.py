"""Citing: reading the marks of a model, and which evidence contains the words of a change or an answer without one."""

import re
from collections.abc import Iterable, Sequence, Set
from itertools import chain

from ..state import Attribution, Edit, Evidence, cited, segments
from ..state.text.segments import Span, sentences, sentences_of, tokens

UNTELLING = frozenset(tokens("yes no true false not"))
"""Words that do not identify their source."""
_MARK = re.compile(r"[ \t]*\[(\d{1,3}(?:[ ]?[,;–-][ ]?\d{1,3})*)\]")
"""A model's mark for evidence: `[1]`, `[1, 3]`."""


def unmarked(text: str, sources: Sequence[Sequence[str]]) -> tuple[str, dict[Span, list[str]]]:
    """A text without the marks `[1]` that a model put behind its sentences, and what they cite.

    Args:
        text: The text.
        sources: The ids of the evidence behind each number, from 1. What is no such number is no mark.

    Returns:
        The text, and the ids of the evidence for each of its sentences, by the sentence's place.
    """
    plain, last, marks = "", 0, list[tuple[int, list[str]]]()
    for mark in _MARK.finditer(text):
        numbers = [int(number) for number in re.findall(r"\d+", mark[1])]
        if all(0 < number <= len(sources) for number in numbers):
            plain += text[last : mark.start()]
            last = mark.end()
            marks.append((len(plain), [id for number in numbers for id in sources[number - 1]]))
    plain = (plain + text[last:]).strip()
    spans = sentences(plain)
    behind: dict[Span, list[str]] = {span: [] for span in spans}
    for place, ids in marks:
        span = next((span for span in reversed(spans) if span[0] < place), None)
        if span:
            behind[span] += [id for id in ids if id not in behind[span]]
    return plain, behind


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
