"""Chains of thought: splitting one into the sentences that state facts, and joining them again."""

import re
from itertools import pairwise
from typing import NamedTuple

from .answers import says_answer
from .segments import STOP_WORDS, Span, sentences, tokens

ORDINALS = (
    """First Second Third Fourth Fifth Sixth Seventh Eighth Ninth Tenth Eleventh Twelfth Thirteenth Fourteenth Fifteenth
    Sixteenth Seventeenth Eighteenth Nineteenth Twentieth"""
).split()
AFTER_THAT = "Next"
"""How a sentence begins when the ordinals have run out."""
_WORDS = "|".join([*(f"{word}(?:ly)?" for word in ORDINALS), AFTER_THAT, "Then", "Finally", "Last", "Lastly"])
_MARKER = re.compile(rf"(?:(?:{_WORDS})\s*[,:]|[-*•](?=\s)|(?:Step\s+)?\d{{1,2}}[.):](?=\s))\s*", re.IGNORECASE)
_INSIDE = re.compile(rf"(?<=\s)(?=(?:{_WORDS}),\s)")
"""A marker in the middle of a sentence, where the full stop before it is missing."""
_LINE = re.compile(
    rf"(?<=\n)(?=[ \t]*(?:{_MARKER.pattern}|(?:(?:so|thus|hence|therefore),? )?(?:the )?(?:final )?answer\b))",
    re.IGNORECASE,
)
"""A line that a marker or the answer begins, where the full stop before it is missing."""
UNVERIFIED = "(not verified)"
"""What follows a sentence that no evidence decided."""
_END = (".", "!", "?", "。", "！", "？")
_NUMBER = re.compile(r"\d")
DENIALS = frozenset(tokens("not no never neither nor none nobody cannot without"))
_ASIDE = re.compile(r",\s+not\b[^,;.]*")


class Cut(NamedTuple):
    """A chain of thought, split. All spans are offsets in it."""

    facts: list[Span]
    """The sentences that state facts, without the words that number them."""
    conclusion: Span | None
    """From the sentence that states the answer on; None if none does."""


def cut(text: str) -> Cut:
    """Split a chain of thought into its sentences and its conclusion, `The answer is ...`, which states no fact."""
    spans = [piece for span in sentences(text) for piece in _at_markers(text, span)]
    answer_places = [place for place, (start, end) in enumerate(spans) if says_answer(text[start:end])]
    last = answer_places[-1] if answer_places else len(spans)
    facts = [(_past_marker(text, start, end), end) for start, end in spans[:last]]
    return Cut(
        [(start, end) for start, end in facts if start < end], (spans[last][0], spans[-1][1]) if answer_places else None
    )


def rebuild(facts: list[str]) -> str:
    """The sentences joined: `First, ... Second, ...`."""
    words = [ORDINALS[number] if number < len(ORDINALS) else AFTER_THAT for number in range(len(facts))]
    return " ".join(f"{word}, {fact}" for word, fact in zip(words, facts, strict=True))


def unverified(fact: str) -> str:
    """A sentence, marked as one that no evidence decided."""
    return f"{fact.rstrip(' .。')} {UNVERIFIED}."


def fitted(statement: str, before: str) -> str:
    """A statement in the form of the sentence that it replaces: its first letter, its full stop."""
    one_line = " ".join(statement.split())
    one_line = one_line[_past_marker(one_line, 0, len(one_line)) :] or one_line
    first, space, rest = one_line.partition(" ")
    if before[:1].islower() and first.lower() in STOP_WORDS - {"i"}:
        one_line = first[:1].lower() + first[1:] + space + rest
    return one_line if one_line.endswith(_END) or not before.endswith(_END) else one_line + before[-1]


def says_no_more(statement: str, sentence: str) -> bool:
    """Whether all of a statement is in the sentence: its words in order, its numbers anywhere."""
    mine, theirs = tokens(statement), tokens(sentence)
    words = iter(token for token in theirs if not _NUMBER.search(token))
    in_order = all(token in words for token in mine if not _NUMBER.search(token))
    return in_order and {token for token in mine if _NUMBER.search(token)} <= set(theirs)


def denies(sentence: str) -> bool:
    """Whether a sentence denies something; `, not in 1887` only sets another value aside."""
    words = {word.replace("’", "'") for word in tokens(_ASIDE.sub("", sentence))}
    return bool(words & DENIALS) or any(word.endswith("n't") for word in words)


def _at_markers(text: str, span: Span) -> list[Span]:
    start, end = span
    inside = {match.end() for form in (_INSIDE, _LINE) for match in form.finditer(text, start, end)}
    starts = sorted({start, *inside, end})
    return [
        (first, first + len(text[first:following].rstrip()))
        for first, following in pairwise(starts)
        if text[first:following].strip()
    ]


def _past_marker(text: str, start: int, end: int) -> int:
    match = _MARKER.match(text, start, end)
    return match.end() if match else start
