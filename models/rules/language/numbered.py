"""Numbers that tell things of one name apart: World War I and II, Apollo 11, the Third Symphony, Louis XVI."""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from functools import lru_cache
from operator import attrgetter

from ....state.text.amounts import ORDINAL, read_ordinal
from ....state.text.dates import MONTHS
from .tables import table
from .verbs import AUXILIARIES, is_past
from .words import PREPOSITIONS, PRONOUNS, Word, stem, stems, words

Numbered = tuple[str, str]
"""What is numbered, as a stem, and its number: `war` and `1`."""

_AFTER = re.compile(
    r"(?P<name>[A-Z][\w'’]{0,60}) (?P<number>[1-9]\d{0,2}(?:\.\d+)*[A-Za-z]?|[IVX]{1,5})(?![\w%]|[.,–-]\d)"
)
_COUNTING = frozenset(word.capitalize() for word in PREPOSITIONS | PRONOUNS) | {"The", "AD", "CE", *MONTHS}
_ROMAN = {"I": 1, "V": 5, "X": 10}
NO_RANK = table("at was were be per each one ever")
"""Before these `first` and `second` rank nothing: `was first performed`, `per second`."""

TIMES = stems("century day week month year decade millennium")
"""What is dated and not named: the 19th century."""


@lru_cache(maxsize=4_000)
def numbered(text: str) -> frozenset[Numbered]:
    """Everything in a text that carries a number in its name, and every ordinal with its noun."""
    return frozenset([*_named(text), *_ranked(text)])


def _named(text: str) -> Iterator[Numbered]:
    for match in _AFTER.finditer(text):
        counted = re.match(r" (?!was\b|is\b|has\b)[a-z]+s\b", text[match.end() : match.end() + 20])
        if match["name"] not in _COUNTING and not counted:
            number = match["number"]
            yield stem(match["name"]), number.lower() if number[0].isdigit() else str(_roman(number))


def _ranked(text: str) -> Iterator[Numbered]:
    all_words = words(text)
    for match in ORDINAL.finditer(text):
        last = bisect_right(all_words, match.start(), key=attrgetter("end"))
        first = bisect_left(all_words, match.end(), key=attrgetter("start"))
        if head := _head(all_words[max(last - 1, 0) : last], all_words[first : first + 5]):
            yield head, str(int(read_ordinal(match).number))


def _head(before: list[Word], after: list[Word]) -> str:
    """The noun that an ordinal ranks: the last of a name, or else the next word. Empty if it ranks nothing."""
    if not after or (before and before[-1].lower in NO_RANK):
        return ""
    if after[0].lower == "and" and len(after) > 2:  # the Fifth and Sixth Symphonies
        after = after[2:]
    run = [after[0]]
    for word in after[1:3]:
        if not (run[-1].capital and word.capital):
            break
        run.append(word)
    last = run[-1]
    verb = last.text.islower() and (is_past(last.lower) or last.lower in AUXILIARIES)
    return "" if verb or last.lower in PREPOSITIONS or last.stem in TIMES else last.stem


def _roman(number: str) -> int:
    values = [_ROMAN[letter] for letter in number]
    return sum(
        -value if value < following else value for value, following in zip(values, [*values[1:], 0], strict=True)
    )
