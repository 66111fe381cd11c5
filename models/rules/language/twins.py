"""Sentences that are the same but for one place: an opposite in it, or two things that have changed places."""

import re
from functools import lru_cache
from typing import NamedTuple

from ....state.text.segments import Span
from .contrasts import are_opposite_predicates, are_opposite_verbs, is_reversed, opposed, sides
from .tables import table
from .verbs import AUXILIARIES, Tag, base_form, inflected, is_past, is_third
from .words import PREPOSITIONS, Word, first_verb, is_verb_at, words

FEWEST_SHARED = 3
"""How many words two sentences must have in common to be compared."""
TURNED = sides("""
    for against; with without; before after; more fewer|less; most least; over under|below; above under|below;
    older younger; no|none|nobody|nothing|neither
    all|every|everyone|everything|each|most|many|both|half|some|several; few all|every|each|most;
    never|rarely|seldom always|often; majority minority; minimum maximum;
    somebody|someone nobody
    """)
"""Words that are opposites only where all others are the same: what `at least` and `at most` have apart."""
NO_RATE = table("of in this last next each")
"""Words before a stretch of time that is no rate."""
NOT_TOLD = table("a an the")
RATES = table("second minute hour day week month year decade century")
PERIODS = RATES | {f"{period}s" for period in RATES}
SYMMETRIC = table(
    """meet marry border resemble equal neighbour neighbor differ play face fight join with between versus near
    like cooperate compete visit attack invade help influence love hate admire know see support praise accuse blame
    criticise criticize shoot follow call write speak talk trade kiss greet thank trust respect"""
)
"""Words on both sides of which things may change places, or that may be true both ways."""
BEATING = table("beat defeat")
DECIDED_ONCE = table("final finals semifinal election referendum runoff")
"""Where one side beats another only once."""
ONE_WAY = table(
    """than cause lead precede succeed replace kill eat inspire contain own teach rule found invent derive evolve orbit
    follow become produce govern before after swallow hunt predate outnumber outlive outweigh surpass exceed"""
)
"""Words whose two sides, kinds of things without a name, are not true both ways."""
NOT_TELLING = table("be have in on at of by for and or")
"""Words that relate nothing: `in Paris in 1889`."""
QUANTIFIERS = table("all none most some many few each half several both neither")
DENYING = table("no not never n't 't")
FORM_OF_DO: dict[str, Tag | None] = {"do": None, "does": "VBZ", "did": "VBD"}
"""The form that a verb has where it is not denied: `does not sail`, `sails`."""
BEING = table("be become remain stay seem")
_ENTITY = re.compile(r"[A-Z\d]")
_FRONTED = re.compile(r"\w+ (?:[A-Z]\w+ )?\d{4}\b|[^,]{1,60}(?=,)")
"""What stands before the subject: up to a comma, or with a year."""


class Difference(NamedTuple):
    """Where the claim says the opposite of the evidence, with offsets in either; None where no rule can write it."""

    mine: Span | None
    theirs: Span | None


def difference(claim: str, evidence: str) -> Difference | None:
    """What makes one of two sentences deny the other, if they are otherwise the same; None if nothing does."""
    mine, theirs = _told(claim), _told(evidence)
    first, last = _apart(mine, theirs)
    if denial := _denial(mine, theirs, first, last):
        return denial
    my_part, their_part = mine[first : len(mine) - last], theirs[first : len(theirs) - last]
    if not my_part or len(my_part) != len(their_part):
        return None
    if _deny_each_other(mine, theirs, range(first, len(mine) - last)):
        return Difference(_span(my_part), _span(their_part))
    if not _changed_places(my_part, their_part, mine):
        return None
    are_numbers = my_part[0].text[0].isdigit() and my_part[-1].text[0].isdigit()
    return Difference(_span(my_part), _span(their_part)) if are_numbers else Difference(None, None)


def is_same(claim: str, evidence: str) -> bool:
    """Whether two sentences have the same words, articles aside."""
    return [word.lower for word in _told(claim)] == [word.lower for word in _told(evidence)]


@lru_cache(maxsize=4_000)
def _told(text: str) -> list[Word]:
    """The words of a sentence without articles, what stands before its subject last."""
    told: list[Word] = []
    for word in words(text):
        if word.lower in NOT_TOLD or (told and told[-1].lower in QUANTIFIERS and word.lower in ("of", "members")):
            continue
        if word.joined and told and told[-1].lower == "non":  # `non-native`
            word = word._replace(text="non" + word.text, start=told.pop().start)
        told += _parted(word)
    fronted = _FRONTED.match(text)
    if fronted is None or not told or told[0].lower not in PREPOSITIONS:
        return told
    opening = sum(word.end <= fronted.end() for word in told)
    return told[opening:] + told[:opening]


def _parted(word: Word) -> list[Word]:
    """A word without its `'s`, its `n't` or its `not`, and that."""
    for ending in ("'s", "can't", "n't", "cannot"):
        if word.lower.endswith(ending):
            place = word.end - len(ending.removeprefix("can"))
            cut = place - word.start
            return [word._replace(text=word.text[:cut], end=place), word._replace(text=word.text[cut:], start=place)]
    return [word]


def _span(part: list[Word]) -> Span | None:
    """Where words stand; None if others stand between them."""
    return (part[0].start, part[-1].end) if part[0].start <= part[-1].start else None


def _apart(mine: list[Word], theirs: list[Word]) -> tuple[int, int]:
    """How many words are the same at the beginning and at the end."""
    pairs = min(len(mine), len(theirs))
    first = next((i for i in range(pairs) if mine[i].lower != theirs[i].lower), pairs)
    last = next((i for i in range(pairs - first) if mine[-1 - i].lower != theirs[-1 - i].lower), pairs - first)
    return first, last


def _denial(mine: list[Word], theirs: list[Word], first: int, last: int) -> Difference | None:
    """Where one of two sentences has a `no` or a `not` more, with a word before and after it, or with its verb."""
    longer, shorter = sorted((mine, theirs), key=len, reverse=True)
    if len(shorter) < FEWEST_SHARED:
        return None
    if len(longer) == len(shorter) + 1 == first + last + 1 and longer[first].lower in DENYING:
        around = slice(max(first - 1, 0), len(longer) - max(last - 1, 0))
        long, short = _span(longer[around]), _span(shorter[around.start : len(shorter) - max(last - 1, 0)])
    elif _denies_verb(longer[first:], shorter[first:]):
        long, short = _span(longer[first : first + 3]), _span(shorter[first : first + 1])
    else:
        return None
    return Difference(long, short) if longer is mine else Difference(short, long)


def _denies_verb(longer: list[Word], shorter: list[Word]) -> bool:
    """Whether words that begin with `does not sail` are otherwise those that begin with `sails`."""
    if len(longer) != len(shorter) + 2 or not shorter or longer[1].lower not in DENYING:
        return False
    if [word.lower for word in longer[3:]] != [word.lower for word in shorter[1:]]:
        return False
    do, verb, finite = longer[0].lower, longer[2].lower, shorter[0].lower
    if do not in FORM_OF_DO:
        return False
    form = FORM_OF_DO[do]
    return finite == verb if form is None else finite in inflected(verb, form)


def _deny_each_other(mine: list[Word], theirs: list[Word], places: range) -> bool:
    """Whether all that differs is one opposite, and the prepositions that go with it: `lent to`, `borrowed from`."""
    different = [place for place in places if mine[place].lower != theirs[place].lower]
    if len(mine) - len(different) < FEWEST_SHARED:
        return False
    if len(different) > 1:
        different = [place for place in different if not {mine[place].lower, theirs[place].lower} <= PREPOSITIONS]
    return len(different) == 1 and _are_opposite(mine, theirs, different[0])


def _are_opposite(mine: list[Word], theirs: list[Word], place: int) -> bool:
    """Whether the words at a place exclude each other there. The north tower and the south tower may both be old."""
    one, other = mine[place].lower, theirs[place].lower
    before = [word.lower for word in mine[max(place - 2, 0) : place]]
    if "per" in before[-1:] or ("every" in before and {one, other} <= PERIODS):
        return True
    if before and {one, other} <= RATES:  # `3 tablets a day`, `3 tablets an hour`
        return before[-1] not in NO_RATE
    if (one, other) in TURNED:
        return True
    if _is_verb(mine, place) or _is_verb(theirs, place):
        return (
            opposed(mine[place].text, theirs[place].text) or are_opposite_verbs(one, other) or is_reversed(one, other)
        )
    return _says_what_is(mine[:place]) and are_opposite_predicates(mine[place].text, theirs[place].text)


def _is_verb(row: list[Word], place: int) -> bool:
    """Whether a word is a verb, as one in -s is if the sentence has no other."""
    return is_verb_at(row, place) or (place > 0 and is_third(row[place].lower) and first_verb(row) == len(row))


def _says_what_is(before: list[Word]) -> bool:
    """Whether words lead to what something is: `Mira is the`, but not `The drug is given to`."""
    verb = next((i for i in reversed(range(len(before))) if is_verb_at(before, i)), None)
    if verb is None or base_form(before[verb].lower) not in BEING:
        return False
    return not any(word.lower in PREPOSITIONS for word in before[verb:])


def _changed_places(mine: list[Word], theirs: list[Word], beside: list[Word]) -> bool:
    """Whether the first and the last of a part, two names or numbers, have changed places around a verb or the like."""
    if len(mine) != len(theirs) or len(mine) < 3:
        return False
    my_words, their_words = ([word.lower for word in part] for part in (mine, theirs))
    for size in range(1, len(mine) // 2 + 1):
        for other_size in range(1, len(mine) - size):
            between = my_words[size : len(mine) - other_size]
            if their_words == my_words[len(mine) - other_size :] + between + my_words[:size]:
                ends = mine[0].text, mine[len(mine) - other_size].text
                return _relates_one_way(ends, set(between), {word.lower for word in beside})
    return False


def _relates_one_way(ends: tuple[str, str], between: set[str], beside: set[str]) -> bool:
    """Whether two things cannot change places around words and both be true."""
    verbs = {base_form(word) for word in between}
    told = verbs - AUXILIARIES - NOT_TELLING
    if told & ONE_WAY or (told & BEATING and beside & DECIDED_ONCE):
        return True
    if told & (SYMMETRIC | BEATING):
        return False
    if between == {"to"}:  # a journey may be the same both ways, but nobody moved both ways at once
        return any(map(is_past, beside - AUXILIARIES))
    if all(map(_ENTITY.match, ends)):
        return bool(told) and ends[0][0].isdigit() == ends[1][0].isdigit()
    return not any(map(_ENTITY.match, ends)) and any(
        map(is_past, between - AUXILIARIES)
    )  # `the mayor elected the judge`
