"""Writing what the evidence has in one place in the sentence's own words: a year for a year, `an` for `a`."""

import re
from itertools import pairwise

from ...state.text.segments import Span
from .alignment import Place
from .units import Sentence, Unit

_VOWEL = re.compile(r"(?!uni(?!n)|eu|one\b|once|us[aeiu]|U[KNS])[aeiou]|8|1[18](?:\b|,?\d{3}\b)|hour|honest|heir", re.I)
_ARTICLE = re.compile(r"\b(an?)(\s+)$", re.IGNORECASE)


def written(claim: Sentence, other: Sentence, place: Place) -> str:
    """The claim with what the evidence has in the place in which they differ."""
    mine, theirs = place.mine, place.theirs
    if not mine or not theirs:
        mine, theirs = place.mine_around, place.theirs_around
    if not mine or not theirs:
        return claim.source
    if any(one.span[1] > other.span[0] for part in (mine, theirs) for one, other in pairwise(part)):
        return claim.source
    if len(mine) == len(theirs) == 1 and mine[0].amount and theirs[0].amount:
        noun, their_noun = _with_noun(claim, mine[0]), _with_noun(other, theirs[0])
        is_one = 1 in (mine[0].amount.number, theirs[0].amount.number)
        if is_one and noun and their_noun and noun.text != their_noun.text and noun.key == their_noun.key:
            mine, theirs = (mine[0], noun), (theirs[0], their_noun)
    start, end = claim.original((mine[0], mine[-1]))
    words = _words(other, theirs)
    if len(mine) == len(theirs) == 1:
        words = _as_precise(mine[0], theirs[0], words)
    return _put(claim.source, (start, end), words)


def _with_noun(sentence: Sentence, unit: Unit) -> Unit | None:
    """The noun behind a count, if it is a word."""
    place = sentence.units.index(unit) + 1 if unit in sentence.units else len(sentence.units)
    after = sentence.units[place] if place < len(sentence.units) else None
    return after if after and after.kind == "word" and after.span[0] - unit.span[1] == 1 else None


def _words(other: Sentence, units: tuple[Unit, ...]) -> str:
    """Units as the sentence types them, in one line."""
    return (
        other.typed.text[units[0].span[0] : units[-1].span[1]]
        if other.language not in ("de", "fr", "es", "")
        else " ".join(other.source[slice(*other.original((units[0], units[-1])))].split())
    )


def _as_precise(mine: Unit, theirs: Unit, words: str) -> str:
    """The year alone where the claim has a year alone, and without `the` or a capital that it does not have."""
    if mine.date and theirs.date and theirs.date.years and mine.date.years:
        if not mine.date.month and mine.date.span == 1 and theirs.date.span == 1:
            return re.sub(r"\d{3,4}", str(abs(theirs.date.years[0])), mine.text, count=1)
        if mine.date.month and not theirs.date.month and theirs.date.span == 1:
            return re.sub(r"\d{4}", str(theirs.date.years[0]), mine.text, count=1)
        if mine.date.month and not mine.date.day and theirs.date.day:
            return re.sub(r"\b\d{1,2}(?:st|nd|rd|th)?(?:,| of)? ", "", words, count=1)
    return words


def _put(text: str, span: Span, words: str) -> str:
    start, end = span
    if start == 0 or not text[:start].strip():
        words = words[:1].upper() + words[1:]
    article = _ARTICLE.search(text, max(0, start - 6), start)
    if article:
        needed = "an" if _VOWEL.match(words) else "a"
        if article[1].lower() != needed:
            needed = needed.capitalize() if article[1][0].isupper() else needed
            start, words = article.start(), needed + article[2] + words
    return text[:start] + words + text[end:]
