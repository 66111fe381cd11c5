"""Sentences that are the same but for one place: an opposite in it, or two things that have changed places."""

import re
from functools import lru_cache
from typing import NamedTuple

from .contrasts import are_opposite_verbs, opposed
from .tables import table
from .verbs import AUXILIARIES, base_form
from .words import Word, first_verb, is_verb_at, words

FEWEST_SHARED = 3
"""How many words two sentences must have in common to be compared."""
TURNED = tuple(
    set(pair.split())
    for pair in "for against; with without; before after; more fewer; more less; most least; over under; above below; "
    "over below; above under".split(";")
)
"""Words that are opposites only where all others are the same: what `at least` and `at most` have apart."""
NO_RATE = table("of in this last next each")
"""Words before a stretch of time that is no rate."""
NOT_TOLD = table("a an the")
RATES = table("second minute hour day week month year decade century")
SYMMETRIC = table(
    """meet marry border resemble equal neighbour neighbor differ play face fight join with between versus near
    like cooperate compete beat defeat visit attack invade"""
)
"""Words on both sides of which things may change places, or that may be true both ways."""
NOT_TELLING = table("be have in on at of by for and or")
"""Words that relate nothing: `in Paris in 1889`."""
_ENTITY = re.compile(r"[A-Z\d]")


class Difference(NamedTuple):
    """The words of the claim that are the opposite of those of the evidence; no words for an exchange."""

    mine: tuple[Word, ...]
    theirs: tuple[Word, ...]


def difference(claim: str, evidence: str) -> Difference | None:
    """What makes one of two sentences deny the other, if they are otherwise the same; None if nothing does."""
    mine, theirs = _told(claim), _told(evidence)
    first, last = _apart(mine, theirs)
    my_part, their_part = mine[first : len(mine) - last], theirs[first : len(theirs) - last]
    if first + last >= FEWEST_SHARED and len(my_part) == len(their_part) == 1 and _are_opposite(mine, theirs, first):
        return Difference(tuple(my_part), tuple(their_part))
    return Difference((), ()) if _changed_places(my_part, their_part) else None


def is_same(claim: str, evidence: str) -> bool:
    """Whether two sentences have the same words, articles aside."""
    return [word.lower for word in _told(claim)] == [word.lower for word in _told(evidence)]


@lru_cache(maxsize=4_000)
def _told(text: str) -> list[Word]:
    return [word for word in words(text) if word.lower not in NOT_TOLD]


def _apart(mine: list[Word], theirs: list[Word]) -> tuple[int, int]:
    """How many words are the same at the beginning and at the end."""
    pairs = min(len(mine), len(theirs))
    first = next((i for i in range(pairs) if mine[i].lower != theirs[i].lower), pairs)
    last = next((i for i in range(pairs - first) if mine[-1 - i].lower != theirs[-1 - i].lower), pairs - first)
    return first, last


def _are_opposite(mine: list[Word], theirs: list[Word], place: int) -> bool:
    """Whether the words at a place exclude each other there. The north tower and the south tower may both be old."""
    one, other = mine[place].lower, theirs[place].lower
    if {one, other} <= RATES:  # `3 tablets a day`, `3 tablets an hour`
        return place > 0 and mine[place - 1].lower not in NO_RATE
    if {one, other} in TURNED:
        return True
    if is_verb_at(mine, place) or is_verb_at(theirs, place):
        return opposed(mine[place].text, theirs[place].text) or are_opposite_verbs(one, other)
    return _says_what_is(mine[:place]) and opposed(mine[place].text, theirs[place].text)


def _says_what_is(before: list[Word]) -> bool:
    """Whether words lead to what something is: `Mira is the`, but not `The drug is given to`."""
    verb = first_verb(before)
    if verb == len(before) or before[verb].lower not in ("is", "are", "was", "were"):
        return False
    return not any(is_verb_at(before, index) for index in range(verb + 1, len(before)))


def _changed_places(mine: list[Word], theirs: list[Word]) -> bool:
    """Whether the first and the last of a part, two names or numbers, have changed places around a verb or the like."""
    if len(mine) != len(theirs) or len(mine) < 3:
        return False
    my_words, their_words = ([word.lower for word in part] for part in (mine, theirs))
    for size in range(1, len(mine) // 2 + 1):
        for other_size in range(1, len(mine) - size):
            between = my_words[size : len(mine) - other_size]
            if their_words != my_words[len(mine) - other_size :] + between + my_words[:size]:
                continue
            ends = mine[0].text, mine[len(mine) - other_size].text
            of_a_kind = all(map(_ENTITY.match, ends)) and ends[0][0].isdigit() == ends[1][0].isdigit()
            told = {base_form(word) for word in between} - AUXILIARIES - NOT_TELLING
            return of_a_kind and bool(told) and not told & SYMMETRIC
    return False
