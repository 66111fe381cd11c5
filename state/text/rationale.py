"""Chains of thought: splitting one into the sentences that state facts, and joining them again."""

import re
import unicodedata
from collections.abc import Iterable
from itertools import pairwise
from typing import NamedTuple

from . import amounts
from .answers import says_answer
from .segments import STOP_WORDS, Span, sentences, tokens

ORDINALS = [word.capitalize() for word in amounts.ORDINALS[1:]]
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
_CLOSING = re.compile(
    r"[\s,;:–—-]{1,4}(?:and\s{1,4})?(?:so|thus|hence|therefore)[,:]?\s{1,4}"
    r"(?=(?:the\s{1,4})?(?:\w{1,20}\s{1,4})?answer(?:\s{1,4}is\b|\s{0,4}:))",
    re.IGNORECASE,
)
"""What joins a fact to the answer that ends its sentence: `..., so the answer is Paris.`"""
_FEWEST_WORDS = 2
"""Fewer do not state a fact."""
UNVERIFIED = "(not verified)"
"""What follows a sentence that no evidence decided."""
_END = (".", "!", "?", "。", "！", "？")
_NUMBER = re.compile(r"\d")
_MINUS = re.compile(r"(?<![\w.,)%])(?:[−–]|minus (?=[$£€¥₩]?\d))", re.IGNORECASE)
_WHOLE_NUMBER = re.compile(
    r"(?P<to>\b(?:to|till|until) |(?<=\d)[-−–])?(?P<number>(?:(?<![\w.,)%])-)?[$£€¥₩]?\d+(?:[.,]\d+)*(?: ?%)?)",
    re.IGNORECASE,
)
_YEAR = re.compile(r"[12]\d{3}")
DENIALS = frozenset(tokens("not no never neither nor none nobody cannot without"))
_ASIDE = re.compile(r",\s+not\b[^,;.]*")


class Cut(NamedTuple):
    """A chain of thought, split. All spans are offsets in it."""

    facts: list[Span]
    """The sentences that state facts, without the words that number them."""
    conclusion: Span | None
    """From `The answer is` on; None if the chain does not say that."""


def cut(text: str) -> Cut:
    """Split a chain of thought into its sentences and its conclusion, `The answer is ...`, which states no fact.

    In `Paris is the capital, so the answer is Paris.` the first part is a fact.
    """
    spans = [piece for span in sentences(text) for piece in _at_markers(text, span)]
    places = [place for place, (start, end) in enumerate(spans) if says_answer(text[start:end])]
    last = places[-1] if places else len(spans)
    while last - 1 in places and _closing(text, spans[last - 1]):  # the answer is stated twice
        last -= 1
    facts = [(_past_marker(text, start, end), end) for start, end in spans[:last]]
    conclusion = None
    if places:
        start = spans[last][0]
        if closing := _closing(text, spans[last]):
            facts.append((_past_marker(text, start, closing[0]), closing[0]))
            start = closing[1]
        conclusion = (start, spans[-1][1])
    return Cut([(start, end) for start, end in facts if start < end], conclusion)


def rebuild(facts: list[str]) -> str:
    """The sentences joined: `First, ... Second, ...`."""
    facts = [fact if fact.endswith(_END) else f"{fact}." for fact in facts]
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
    if not before.endswith(_END):
        return one_line.rstrip(".。")
    return one_line if one_line.endswith(_END) else one_line + before[-1]


def says_no_more(statement: str, sentence: str) -> bool:
    """Whether all of a statement is in the sentence: its words in order, and its numbers."""
    statement, sentence = (_MINUS.sub("-", unicodedata.normalize("NFKC", text)) for text in (statement, sentence))
    return _in_order(_words_of(statement), _words_of(sentence)) and _says_numbers(statement, sentence)


def _words_of(text: str) -> list[str]:
    return [token for token in tokens(text) if not _NUMBER.search(token)]


def _says_numbers(statement: str, sentence: str) -> bool:
    """Whether a sentence has all numbers of a statement: those in its words in order, years and `to 20` anywhere.

    `From 10 to 20` is not `from 20 to 10`, but `to 20, from 10`; and what was so in 1889 may begin with `In 1889`.
    """
    (mine, my_places), (theirs, their_places) = _numbers(statement), _numbers(sentence)
    years = {(False, number) for _, number in their_places}
    return _in_order(mine, theirs) and my_places <= their_places | years


def _numbers(text: str) -> tuple[list[str], set[tuple[bool, str]]]:
    """The numbers of a text in their order, each as a whole with its sign: 6.4 is not 4.6.

    Years and what follows a `to`, which they may change places with, are apart.
    """
    found = [
        (match["to"] is not None, match["number"].replace(",", "").replace(" ", ""))
        for match in _WHOLE_NUMBER.finditer(text)
    ]
    apart = {each for each in found if each[0] or _YEAR.fullmatch(each[1])}
    return [number for follows, number in found if (follows, number) not in apart], apart


def _in_order(some: Iterable[str], others: Iterable[str]) -> bool:
    """Whether some words are among others, in the same order."""
    rest = iter(others)
    return all(each in rest for each in some)


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


def _closing(text: str, span: Span) -> Span | None:
    """Where a sentence that first states a fact passes on to the answer: the words that join the two."""
    match = _CLOSING.search(text, *span)
    return match.span() if match and len(tokens(text[span[0] : match.start()])) >= _FEWEST_WORDS else None


def _past_marker(text: str, start: int, end: int) -> int:
    match = _MARKER.match(text, start, end)
    return match.end() if match else start
