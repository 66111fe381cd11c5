"""What can be compared: dates, amounts, names and words with opposites, each with its place in the text."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import zip_longest
from typing import Literal

from ....state.text import amounts, dates
from ....state.text.segments import language, tokens
from . import contrasts, naming, places
from .tables import table
from .verbs import is_verb
from .words import ADVERBS, ARTICLES, CONJUNCTIONS, PREPOSITIONS, PRONOUNS, opens_phrase, words

Kind = Literal["date", "amount", "name", "contrast"]


@dataclass(frozen=True)
class Fact:
    """Something in a text that another text can agree with or contradict."""

    kind: Kind
    text: str
    start: int
    end: int
    date: dates.Date | None = None
    amount: amounts.Amount | None = None
    meant: tuple[places.Place, ...] = ()

    @cached_property
    def stems(self) -> frozenset[str]:
        """What its words are counted as."""
        if language(self.text) != "en":
            return frozenset(tokens(self.text))
        return frozenset(filter(None, (word.stem for word in words(self.text))))


def find(text: str, start: int, end: int) -> list[Fact]:
    """All facts of text[start:end], in order. Where two readings overlap, the one found first by this order stays."""
    all_facts: list[Fact] = []
    taken = bytearray(end - start)
    for reader in (_dates, _names_with_number, _ordinals, _bare_years, _amounts, _names, _contrasts):
        for fact in reader(text, start, end):
            if not any(taken[fact.start - start : fact.end - start]):
                taken[fact.start - start : fact.end - start] = b"x" * (fact.end - fact.start)
                all_facts.append(fact)
    return sorted(all_facts, key=lambda fact: fact.start)


def _fact(kind: Kind, text: str, span: tuple[int, int]) -> Fact:
    return Fact(kind, text[span[0] : span[1]], *span)


def _dates(text: str, start: int, end: int) -> Iterator[Fact]:
    for pattern in dates.PATTERNS:
        for match in pattern.finditer(text, start, end):
            if date := dates.read(match):
                last = _words_before(text, start, match.start())[-1:]
                yield replace(_fact("date", text, match.span()), date=replace(date, about=bool(ABOUT & set(last))))


COUNTED = frozenset(word for names in amounts.UNITS.values() for word in names.split()) | table("people men women")
NOT_COUNTED = table("as was is has its his")
ABOUT = table("circa c about around")


def _bare_years(text: str, start: int, end: int) -> Iterator[Fact]:
    """Four digits are a year after a preposition or at the end of a phrase, and a number before a plural."""
    for match in dates.BARE_YEAR.finditer(text, start, end):
        before = _words_before(text, start, match.start())
        last = before[-1] if before else ""
        follows = re.match(r"\s+([^\W\d]+)", text[match.end() : min(match.end() + 30, end)])
        after = follows[1] if follows else ""
        cued = last in dates.YEAR_CUES or text[start : match.start()].rstrip().endswith(("(", "–", "-", "/"))
        if _is_counted(after) and last != "in":
            continue
        if cued or not after or after.islower():
            year = int(match["year"])
            yield replace(_fact("date", text, match.span()), date=dates.Date((year, year), about=last in ABOUT))


def _is_counted(word: str) -> bool:
    return word.lower() in COUNTED or (word.islower() and word.endswith("s") and word not in NOT_COUNTED)


_NAME_WITH_NUMBER = re.compile(
    r"\b(?:(?<=[Tt]he )(?P<rank>First|Second|Third|Fourth|Fifth|Sixth|Seventh|Eighth|Ninth|Tenth) (?:[A-Z]\w* ?)+(?<! )"
    r"|(?P<name>(?:[A-Z]\w* ){0,4}[A-Z]\w*) (?:[1-9]\d{0,2}(?!\d|[.,%]\d|%)|[IVX]{1,4}\b)"
    r"(?! (?!was\b|is\b|has\b)[a-z]+s\b)(?! (?:million|billion|percent)))"
)


def _names_with_number(text: str, start: int, end: int) -> Iterator[Fact]:
    """`Apollo 11`, `World War II` and `the Second World War` are names, with nothing counted."""
    for match in _NAME_WITH_NUMBER.finditer(text, start, end):
        parts = (match["name"] or "").split()
        if match["rank"] or (
            parts[0] not in NOT_NAMES
            and parts[-1] not in dates.MONTHS
            and not _is_measured(text, match.end("name") + 1)
        ):
            yield _fact("name", text, match.span())


def _is_measured(text: str, start: int) -> bool:
    """Whether a number has a unit: `Take 10 ml`."""
    number = amounts.NUMBER.match(text, start)
    amount = amounts.read_number(number) if number else None
    return amount is not None and amount.unit != ""


def _amounts(text: str, start: int, end: int) -> Iterator[Fact]:
    for match in amounts.NUMBER.finditer(text, start, end):
        amount = amounts.read_number(match)
        if amount is None or _is_no_count(text, match, end):
            continue
        amount = replace(amount, bound=_bound(text, start, match.start(), match.end()))
        yield replace(_fact("amount", text, match.span()), amount=amount)
    for match in amounts.CJK_COUNT.finditer(text, start, end):
        number = float(amounts.CJK_DIGITS[match["cjk_count"]])
        yield replace(_fact("amount", text, match.span()), amount=amounts.Amount(number))


def _is_no_count(text: str, match: re.Match[str], end: int) -> bool:
    """`one of them`, `this one`, and `Three` in the title `Three Tall Women`."""
    if match["spelled"] and match["spelled"][0].isupper() and re.match(r" [A-Z]", text[match.end() : match.end() + 2]):
        return True
    if (match["spelled"] or "").lower() != "one":
        return False
    after = words(text, match.end(), min(end, match.end() + 30))
    return not after or after[0].lower in PREPOSITIONS or after[0].lower in PRONOUNS or not after[0].text.islower()


NO_RANK = {"first": ("at", "was", "were"), "second": ("per", "a", "each", "one")}
"""Words before which an ordinal ranks nothing: `was first performed`, `5 km per second`."""


def _ordinals(text: str, start: int, end: int) -> Iterator[Fact]:
    for match in amounts.ORDINAL.finditer(text, start, end):
        before = _words_before(text, start, match.start())
        if before and before[-1] in NO_RANK.get((match["word"] or "").lower(), ()):
            continue
        yield replace(_fact("amount", text, match.span()), amount=amounts.read_ordinal(match))


_BOUNDS: dict[amounts.Bound, str] = {
    "over": "more than|at least|greater than|no less|over|above|exceeding",
    "under": "less than|at most|fewer than|up to|no more|under|below",
    "about": "about|around|approximately|roughly|circa|nearly|almost|some|estimated|ca|approx",
}
BOUNDS = {words: bound for bound, hedges in _BOUNDS.items() for words in hedges.split("|")}
"""What the words before a number make of it."""
CJK_ABOUT_BEFORE = ("约", "大约", "约为", "近", "약", "약 ", "~", "≈")
CJK_ABOUT_AFTER = ("多", "余", "여")


def _bound(text: str, start: int, number_start: int, number_end: int) -> amounts.Bound:
    """How the words before a number limit it."""
    before = _words_before(text, start, number_start)
    for hedge in (" ".join(before[-2:]), *before[-1:]):
        if hedge in BOUNDS:
            return BOUNDS[hedge]
    if text[start:number_start].endswith(CJK_ABOUT_BEFORE) or text.startswith(CJK_ABOUT_AFTER, number_end):
        return "about"
    return "exact"


_PART = r"[^\W\d_a-z\u00df-\u00ff\u3400-\u9fff\uac00-\ud7a3\u3040-\u30ff][\w'’\-]*(?:\.(?=[ A-Z]))?"
_JOINTS = "of|de|la|le|von|van|der|den|du|da|del|di|al|am|sur|bin|ibn|y|the|for|&"
_NAME = re.compile(rf"\b{_PART}(?: (?:(?:{_JOINTS}) ){{0,3}}{_PART})*")
_LOOSE_JOINT = re.compile(r" (?:for|the) .*$")
NOT_NAMES = frozenset(word.capitalize() for word in PRONOUNS | PREPOSITIONS | ADVERBS) | table(
    """The A An And But Or So As If When While Although Though Because Both Each Every Some Many Most All Several Other
    Another Such Not No Only More Less Construction Building Work Visitors"""
)
"""Words that are capitalised only because a sentence begins with them."""


def _names(text: str, start: int, end: int) -> Iterator[Fact]:
    for match in _NAME.finditer(text, start, end):
        first, last = _trimmed(text, *match.span())
        name = text[first:last]
        if not name[:1].isupper() or name in NOT_NAMES or contrasts.families(name) or naming.describes(name):
            continue
        if _opens_phrase(text, start, first, last, end):
            continue
        before = _words_before(text, start, first)[-1:]
        if before not in (["a"], ["an"]) and not (before == ["the"] and _describes(text, last, end)):
            last = _end_of_firm(text, first, last, end)
            yield replace(_fact("name", text, (first, last)), meant=places.lookup(name))


def _opens_phrase(text: str, start: int, first: int, last: int, end: int) -> bool:
    """Whether a word is a participle with which a sentence begins: `Built on drained marshland, the airport ...`."""
    return (
        not text[start:first].strip()
        and " " not in text[first:last]
        and opens_phrase(words(text, first, min(end, last + 30)))
    )


_FIRM = re.compile(r"\b(?:firm|company|partnership|practice|agency|studio|office)(?: of)? (?:the )?$")
_PARTNERS = re.compile(rf"((?:, {_PART})*),? (?:and|&) {_PART}")


def _end_of_firm(text: str, first: int, last: int, end: int) -> int:
    """Where the name of a firm ends, which may be that of several partners: `Skidmore, Owings and Merrill`."""
    partners = _PARTNERS.match(text, last, end)
    firm = _FIRM.search(text, max(0, first - 30), first)
    return partners.end() if partners and (firm or (partners[1] and "&" in partners.group())) else last


def _trimmed(text: str, first: int, last: int) -> tuple[int, int]:
    """Without the capital that a sentence begins with, another name after `for` or `the`, a full stop and an `'s`."""
    while (space := text.find(" ", first, last)) >= 0 and text[first:space] in NOT_NAMES | naming.BEFORE_NAMES:
        first = space + 1
    joint = _LOOSE_JOINT.search(text[first:last])
    if joint and not (joint.group().startswith(" the ") and " of the " in text[first:last]):
        last = first + joint.start()
    name = text[first:last].rstrip(".")
    return first, first + len(name.removesuffix("'s").removesuffix("’s"))


def _describes(text: str, offset: int, end: int) -> bool:
    """Whether a name stands before a noun, as in `the Julian calendar`, and so names neither a place nor a person."""
    after = words(text, offset, min(end, offset + 30))[:1]
    if not after or text[offset : after[0].start] != " " or not after[0].text.islower():
        return False
    word = after[0].lower
    return not is_verb(word) and word not in PREPOSITIONS | PRONOUNS | ADVERBS | CONJUNCTIONS | ARTICLES | {"not"}


def _contrasts(text: str, start: int, end: int) -> Iterator[Fact]:
    all_words = words(text, start, end)
    for word, after in zip_longest(all_words, all_words[1:]):
        if contrasts.families(word.text) and not (after and after.lower == "than"):
            yield _fact("contrast", text, (word.start, word.end))


def _words_before(text: str, start: int, offset: int) -> list[str]:
    return [word.lower for word in words(text, max(start, offset - 30), offset)]


def cjk_places(text: str, start: int, end: int) -> Iterator[Fact]:
    """Names of places in Chinese and Korean: the longest known name at each offset."""
    offset = start
    while offset < end:
        for length in range(min(6, end - offset), 1, -1):
            name = text[offset : offset + length]
            if ord(name[0]) > 0x3400 and (meanings := places.named(name)):
                yield replace(_fact("name", text, (offset, offset + length)), meant=meanings)
                offset += length - 1
                break
        offset += 1
