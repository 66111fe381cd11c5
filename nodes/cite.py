"""Citing: reading the marks of a model, and which evidence contains the words of a change or an answer without one."""

import re
from collections.abc import Iterable, Sequence, Set
from itertools import chain, product

from ..state import Attribution, Edit, Evidence, cited, segments
from ..state.text.segments import Span, sentences, sentences_of, tokens
from ..state.text.spans import Placed, placed

FEW = 5
"""Of so many words of a quote, one may be missing beside them."""
SHORTEST = 3
"""The longest quote of which none may."""
LONGEST_OMISSION = 60
"""How many words an ellipsis stands for at most."""
_ELLIPSIS = re.compile(r"\[?\(?(?:…|\.{3,}|\. \. \.)\)?\]?")
UNTELLING = frozenset(tokens("yes no true false not"))
"""Words that do not identify their source."""
_MARK = re.compile(r"(?<![ \t])[ \t]*\[(\d{1,3}(?:[ ]?[,;–-][ ]?\d{1,3})*)\]")
"""A model's mark for evidence: `[1]`, `[1, 3]`."""


def quoted(text: str, quote: str) -> Span | None:
    """Where a text has a quote, from its first to its last word; None if it does not have it.

    Marks and letter case don't count. `...` stands for words that were left out, and of other words a few may be
    missing. All words of the quote are in the text, in their order.
    """
    pieces = [[word for word, *_ in _words(piece)] for piece in _ELLIPSIS.split(quote)]
    pieces = [piece for piece in pieces if piece]
    in_text = _words(text)
    sought = sum(map(len, pieces))
    few = sought // FEW if sought > SHORTEST else 0
    firsts = [place for place, (word, *_) in enumerate(in_text) if pieces and word == pieces[0][0]]
    for missing, first in product(sorted({0, few}), firsts):
        place = first
        for number, piece in enumerate(pieces):
            reach = LONGEST_OMISSION if number else 0
            place = _matched(piece, in_text, place, reach, missing)
            if not place:
                break
        else:
            start, end = in_text[first][1], in_text[place - 1][2]
            ended = quote.rstrip(" \"'“”’»")[-1:]
            return start, end + (ended == text[end : end + 1] and not ended.isalnum())
    return None


def _words(text: str) -> list[Placed]:
    """The words and numbers of a text in lower case, and where they are in it."""
    words = [(token.casefold(), start, end) for token, start, end in placed(text)]
    return [each for each in words if any(map(str.isalnum, each[0]))]


def _matched(piece: list[str], words: list[Placed], first: int, reach: int, missing: int) -> int:
    """The place after the last of some words, of which few may be missing; 0 if they don't stand there.

    Args:
        piece: The words, in their order.
        words: Those of the text.
        first: The place where they may begin.
        reach: How many words later they may begin at most.
        missing: How many words of the text may be left out between them.
    """
    for start in range(first, min(first + reach, len(words) - 1) + 1):
        place, left_out = start, 0
        for word in piece:
            while place < len(words) and words[place][0] != word and left_out < missing and place > start:
                place, left_out = place + 1, left_out + 1
            if place >= len(words) or words[place][0] != word:
                break
            place += 1
        else:
            return place
    return 0


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
