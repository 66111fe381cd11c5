"""Whether a change follows from the evidence, judged by the position of its words, in any language, without a model.

A change follows from a sentence of the evidence if that sentence has the new words in the same place as the text: next
to the same words. If the evidence has the old words there as well, nothing was wrong.
"""

import re
import unicodedata
from bisect import bisect
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from itertools import product
from math import ceil
from typing import NamedTuple

from ..models.rules.language.contrasts import families
from ..models.rules.language.words import TURNING, stem
from ..state import Evidence
from ..state.text.amounts import UNITS
from ..state.text.dates import MONTHS
from ..state.text.segments import STOP_WORDS, sentences

NEGATION = "not"
"""Words that reverse a statement count as these: the only words that a correction may add or remove."""
JOINING = frozenset("的 了 是 在 于 和 与 及 之 为 有".split())
"""Chinese characters that only join others."""
NEAR = 6
"""The number of words on each side that identify a place."""
SPREAD = 3
"""How many words may stand between those of a name or a date in the evidence."""
OTHER_SIDE = 0.25
"""The weight of a word on the other side of the place, as in a passive sentence."""
BREAK = 2
"""How much farther away words behind a comma count."""
SAME_BEGINNING = 0.6
"""The part of a Korean word that must match; the rest is its ending."""
LEAST_FIT = 0.4
"""How well the surroundings must match for the evidence to be about a place.

Of 60 right changes that a small model proposed for the sets `first`, `later` and `third` of `benchmarks.statements` the
least had 0.47; of 12 that were let through and should not have been, four had 0.36 or less.
"""
LONGEST_WORD = 40
"""The number of letters of a Korean word that are compared."""
LONGEST_SENTENCE = 1_000
"""The most characters whose units are cached."""
FEWEST_SHARED = 1 / 3
"""The share of a sentence's words that evidence must have to be about the same thing."""

_UNIT_OF = {word: unit for unit, names in UNITS.items() for word in names.split() if len(word) > 2}

_HANGUL, _HAN = r"\uac00-\ud7a3", r"\u3040-\u30ff\u3400-\u9fff"
_UNIT = re.compile(rf"[{_HAN}]|[{_HANGUL}]+|\d+(?:[.,]\d+)*|[^\W\d_{_HAN}{_HANGUL}]+(?:['’][^\W\d_]+)?")
_PARTICLE = re.compile("(?<=.)(?:에서|에게|부터|까지|으로|의|에|은|는|이|가|을|를|로|와|과|도|만)$")
_KOREAN = re.compile(f"[{_HANGUL}]")
_BREAK = re.compile(r"[,;:，；：、()（）—](?!\d)")


class Unit(NamedTuple):
    """A word, a number, or a character of a script without spaces."""

    text: str
    start: int
    end: int
    is_name: bool
    """Whether it is capitalised or a number."""
    clause: int
    """The number of commas and similar marks before it."""


Distant = tuple[str, int]
"""A unit and its distance, from 1."""


class Place(NamedTuple):
    """The units before and after a place in a sentence, nearest first."""

    before: list[Distant]
    after: list[Distant]


class Vocabulary:
    """The units of a text, with lookup in constant time."""

    def __init__(self, text: str) -> None:
        self.units = frozenset(unit.text for unit in units(text))
        korean = [unit[:LONGEST_WORD] for unit in self.units if _KOREAN.match(unit)]
        self._bare = frozenset(_PARTICLE.sub("", unit) for unit in self.units if _KOREAN.match(unit))
        self._stems = frozenset(map(_korean_stem, korean))
        self._beginnings = frozenset(unit[:end] for unit in korean for end in range(1, len(unit) + 1))

    def __contains__(self, unit: str) -> bool:
        """Whether it has a unit that is the same."""
        if unit in self.units or not self._stems or not _KOREAN.match(unit):
            return unit in self.units
        if _PARTICLE.sub("", unit) in self._bare:
            return True
        unit = unit[:LONGEST_WORD]
        ends = range(1, len(unit) + 1)
        return _korean_stem(unit) in self._beginnings or any(unit[:end] in self._stems for end in ends)


class Topic(NamedTuple):
    """The subject of a piece of evidence."""

    title: Vocabulary
    text: Vocabulary


def topic_of(piece: Evidence) -> Topic:
    """The subject of a piece of evidence. Compute it once: it takes as long as reading the piece."""
    return Topic(Vocabulary(piece["title"]), Vocabulary(piece["text"]))


def units(text: str) -> tuple[Unit, ...]:
    """The meaningful units of a text."""
    return _units_of_sentence(text) if len(text) <= LONGEST_SENTENCE else _units(text)


@lru_cache(maxsize=2_000)
def _units_of_sentence(text: str) -> tuple[Unit, ...]:
    return _units(text)


def _units(text: str) -> tuple[Unit, ...]:
    plain = unicodedata.normalize("NFKC", text)
    plain = plain if len(plain) == len(text) else text
    breaks = [match.start() for match in _BREAK.finditer(plain)]
    all_units = (
        Unit(
            _counted_as(match.group()),
            *match.span(),
            match.group()[0].isupper() or match.group()[0].isdigit(),
            bisect(breaks, match.start()),
        )
        for match in _UNIT.finditer(plain)
    )
    return tuple(unit for unit in all_units if unit.text)


def same(word: str, other: str) -> bool:
    """Whether two units are the same word. Korean words may end in different particles."""
    if word == other:
        return True
    if not (_KOREAN.match(word) and _KOREAN.match(other)):
        return False
    if _PARTICLE.sub("", word) == _PARTICLE.sub("", other):
        return True
    return word.startswith(_korean_stem(other)) or other.startswith(_korean_stem(word))


def _one_of(missing: Counter[str], word: str) -> str | None:
    """The one of some words that is the same as another."""
    if word in missing:
        return word
    return next((other for other in missing if same(other, word)), None) if _KOREAN.match(word) else None


def _is_among(word: str, all_units: Sequence[Unit]) -> bool:
    """Whether a word is one of the units."""
    if any(word == unit.text for unit in all_units):
        return True
    return bool(_KOREAN.match(word)) and any(same(word, unit.text) for unit in all_units)


def _korean_stem(word: str) -> str:
    """The stem of a Korean word, without its ending."""
    return word[: max(ceil(SAME_BEGINNING * len(word)), 1)]


def shared(sentence: str, *vocabularies: Vocabulary) -> float:
    """The share of a sentence's units that some vocabularies have."""
    return covered(units(sentence), *vocabularies)


def covered(mine: Sequence[Unit], *vocabularies: Vocabulary) -> float:
    """The share of some units that some vocabularies have."""
    if not mine:
        return 0.0
    return sum(any(unit.text in vocabulary for vocabulary in vocabularies) for unit in mine) / len(mine)


def names_of(passage: str) -> frozenset[str]:
    """The names in a passage, if it has any besides the first words of its sentences, which may be none.

    Days and months are written like names, and name nothing that evidence could be about.
    """
    names = [unit for unit in units(passage) if unit.is_name and not unit.text[0].isdigit()]
    names = [unit for unit in names if not _is_of_calendar(passage[unit.start : unit.end])]
    openings = {start for start, _ in sentences(passage)}
    has_any = any(unit.start not in openings for unit in names)
    return frozenset(unit.text for unit in names) if has_any else frozenset()


def _is_of_calendar(word: str) -> bool:
    return word in MONTHS or "weekday" in families(word.removesuffix("s"))


def is_about(sentence: str, names: frozenset[str], topic: Topic) -> bool:
    """Whether evidence is about what a sentence is about.

    It has enough of its words, and a name of its passage if any.
    """
    has_name = not names or any(not names.isdisjoint(vocabulary.units) for vocabulary in topic)
    return has_name and shared(sentence, *topic) >= FEWEST_SHARED


def fit(words: str, sentence: str, span: tuple[int, int], evidence: str, title: frozenset[str] = frozenset()) -> float:
    """How well words fit a place of a sentence, judged by where a sentence of the evidence has them; 0 if it does not.

    Args:
        words: The words.
        sentence: The sentence.
        span: The start and the end of the place in it.
        evidence: The sentence of the evidence.
        title: Units of the evidence's title, as in `place_of`.
    """
    if not (others := places_of(words, evidence, title)):
        return 0.0
    place = place_of(sentence, *span, title)
    return max(_alike(place, other) for other in others)


def places_of(words: str, evidence: str, title: frozenset[str] = frozenset()) -> list[Place]:
    """The places where a sentence of the evidence has the words."""
    all_units = units(evidence)
    return [_around(all_units, first, last, title) for first, last in occurrences(units(words), all_units)]


def spelled_as(words: str, evidence: str) -> str:
    """Words with their units of measure as the evidence spells them: `metres` where a model wrote `meters`."""
    spellings = {unit.text: evidence[unit.start : unit.end] for unit in units(evidence) if unit.text in UNITS}
    for unit in reversed(units(words)):
        if spelling := spellings.get(unit.text):
            words = words[: unit.start] + spelling + words[unit.end :]
    return words


def crosses(mine: Place, theirs: Place) -> bool:
    """Whether a word is before one place and after the other. A number may be, as in a fronted adverbial."""
    return any(
        _words(here) & _words(there) - _words(other)
        for here, there, other in (
            (mine.before, theirs.after, theirs.before),
            (mine.after, theirs.before, theirs.after),
        )
    )


def _words(side: Sequence[Distant]) -> set[str]:
    return {word for word, _ in side if not word[0].isdigit()}


def is_korean(words: str) -> bool:
    """Whether words are written only in Hangul."""
    return all(_KOREAN.match(unit.text) for unit in units(words))


def place_of(sentence: str, start: int, end: int, title: frozenset[str] = frozenset()) -> Place:
    """The place of a span in a sentence.

    Args:
        sentence: The sentence.
        start: Where the span begins.
        end: Where it ends.
        title: Units of the evidence's title. They don't count, because evidence says `it` for what its title names.
    """
    all_units = units(sentence)
    first = sum(unit.end <= start for unit in all_units)
    last = next((number for number, unit in enumerate(all_units) if unit.start >= end), len(all_units))
    return _around(all_units, first, max(first, last), title)


def _around(all_units: Sequence[Unit], first: int, last: int, title: frozenset[str]) -> Place:
    """The units around all_units[first:last]."""
    before, after = (
        [unit for unit in side if unit.text not in title][:NEAR] for side in (all_units[:first][::-1], all_units[last:])
    )
    mine = all_units[first:last] or before[:1] or after[:1]
    return Place(
        [(unit.text, n + BREAK * (mine[0].clause - unit.clause)) for n, unit in enumerate(before, 1)],
        [(unit.text, n + BREAK * (unit.clause - mine[-1].clause)) for n, unit in enumerate(after, 1)],
    )


def is_rewording(old: str, new: str) -> bool:
    """Whether the new words say only what the old ones said: the same words or relations, in another form."""
    mine, theirs = Vocabulary(old), Vocabulary(new)
    return all(unit in mine for unit in theirs.units) and NEGATION not in mine.units ^ theirs.units


def turns(old: str, new: str) -> bool:
    """Whether a change only reverses the statement."""
    return {unit.text for unit in units(old)} ^ {unit.text for unit in units(new)} == {NEGATION}


def _counted_as(word: str) -> str:
    """The group that a unit counts as; empty for one that only joins others."""
    if word[0].isdigit():
        return word.replace(",", "")
    if _KOREAN.match(word):
        return NEGATION if word in TURNING else word
    lower = word.casefold()
    if lower in TURNING:
        return NEGATION
    if lower in JOINING or lower in STOP_WORDS:
        return ""
    return _UNIT_OF.get(lower) or stem(word) or lower


def occurrences(sought: Sequence[Unit], all_units: Sequence[Unit]) -> list[tuple[int, int]]:
    """Where all the units are close together: the first and the one after the last."""
    found: list[tuple[int, int]] = []
    if not sought or not all(_is_among(unit.text, all_units) for unit in sought):
        return found
    for first in range(len(all_units)):
        missing = Counter(unit.text for unit in sought)
        for last, unit in enumerate(all_units[first : first + len(sought) + SPREAD], first + 1):
            word = _one_of(missing, unit.text)
            if word is None and last == first + 1:
                break
            if word is not None:
                missing -= Counter([word])
            if not missing:
                found.append((first, last))
                break
    return found


def _alike(mine: Place, theirs: Place) -> float:
    """How similar the surroundings of two places are; near words count most."""
    return (
        _shared(mine.before, theirs.before)
        + _shared(mine.after, theirs.after)
        + OTHER_SIDE * (_shared(mine.before, theirs.after) + _shared(mine.after, theirs.before))
    )


def _shared(mine: Sequence[Distant], theirs: Sequence[Distant]) -> float:
    return sum(1 / (near * far) for (word, near), (other, far) in product(mine, theirs) if same(word, other))
