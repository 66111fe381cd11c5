"""What a short answer means: a number, a date, or words; and when two answers mean the same.

This is the one comparison behind all decisions: gates, votes, replacements. Published scores with their own
normalisation are in `answers`.
"""

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from typing import NamedTuple

from . import amounts, dates
from .amounts import Amount
from .dates import Date
from .typography import plain

LONGEST_VALUE = 80
"""In characters. A longer answer is not a number or a date, but words."""
LONGEST_ANSWER = 10_000
"""In characters. What is longer is compared as it stands: reading it character by character takes seconds."""
MOST_DIGITS = 15
"""The most digits of a number in calculations: as many as a float holds exactly. Longer ones are compared as written.
"""

_AROUND = " \t\r\n\"'*_“”‘’.!?,;:。！？"
_GROUPED = re.compile(r"(?<=\d)[\u00a0\u202f\u2009](?=\d{3}(?!\d))")
_COMMAS = re.compile(r"(?<![\d.,])\d{1,3}(?:,\d{3})+(?![\d,])")
_MINUS = re.compile(r"^(?:minus|negative) ", re.IGNORECASE)
_MINUS_AFTER = re.compile(r"(?<=^[$£€¥₩])-(?=[\d.])")
_FRACTION = re.compile(r"(-?\d{1,6})/([1-9]\d{0,5})")
_DECIMALS = re.compile(r"(?<![\d.])\d+\.\d+(?![\d.])")
_NUMERAL = re.compile(r"[-+]?(?!0\d)(?:\d+|\d*\.\d+)(?:[eE][-+]?\d{1,2})?")
"""A number on its own. One with too many leading zeros, such as 007 and 02139, is a code."""
_DAY_BEFORE = re.compile(r"^(?:(?:on|in|the|(?:mon|tues|wednes|thurs|fri|satur|sun)day),? )+(?=[\w])", re.IGNORECASE)
_NO_SYMBOL = re.compile(r"\dM\b|\d M$|\d ?mW\b")
"""Millions or metres, milliwatts or megawatts: units that the lower-case tables would misread."""
_OF_YEARS = "AD"
"""The unit of a year that is explicitly one, as in `44 BC`, which is -44."""


class Value(NamedTuple):
    """What an answer means: one of the three."""

    amount: Amount | None
    date: Date | None
    words: str


def same_answer(answer: str, other: str) -> bool:
    """Whether two answers mean the same.

    Numbers are compared with their sign and their unit, which one of the two may leave out; dates as dates; everything
    else as words, ignoring case, punctuation and articles.

    Args:
        answer: An answer.
        other: Another one.

    Returns:
        True for `452 metres` and `452`, `508 metres` and `508 m`, `20 July 1969` and `July 20, 1969`; False for `-5`
        and `5`, `3.5` and `35`, `5 km` and `5 miles`.
    """
    return same_value(value(answer), value(other))


def exclude(answer: str, other: str) -> bool:
    """Whether two answers are numbers in the same unit, or dates, that cannot both be right.

    A rounded number, and a date that is less precise, exclude nothing.
    """
    mine, theirs = value(answer), value(other)
    if mine.amount and theirs.amount:
        apart = abs(mine.amount.number - theirs.amount.number)
        return mine.amount.unit == theirs.amount.unit and apart >= max(mine.amount.step, theirs.amount.step)
    return bool(mine.date and theirs.date and dates.exclude(mine.date, theirs.date))


def same_quantity(answer: str, other: str) -> bool:
    """Whether two answers are the same number, both with a unit or both without, or the same date; words never are."""
    mine, theirs = value(answer), value(other)
    if mine.amount and theirs.amount and bool(mine.amount.unit) != bool(theirs.amount.unit):
        return False
    return not mine.words and same_value(mine, theirs)


def agreeing(answers: Sequence[str]) -> list[list[int]]:
    """For each answer, the indices of those that mean the same, including its own."""
    values = [value(answer) for answer in answers]
    return [[place for place, other in enumerate(values) if same_value(own_value, other)] for own_value in values]


def same_value(parsed: Value, other: Value) -> bool:
    """Whether two parsed answers mean the same."""
    if parsed.amount and other.amount:
        return amounts.same_amount(parsed.amount, other.amount)
    return parsed == other


def value(answer: str) -> Value:
    """What an answer means. Takes time in proportion to its length."""
    return _short_value(answer) if len(answer) <= LONGEST_VALUE else Value(None, None, _words(answer))


@lru_cache(maxsize=5_000)
def _short_value(answer: str) -> Value:
    """What an answer means that may be a number or a date. Kept, since the gates of a text compare the same few."""
    plain_answer = _plain(answer).rstrip(_AROUND).lstrip(_AROUND.replace(".", ""))
    if date := _date(plain_answer):
        year = date.years[0] if date.years and date.span == 1 and not date.month else None
        return Value(Amount(float(year), _OF_YEARS), None, "") if year is not None else Value(None, date, "")
    if amount := _amount(plain_answer):
        return Value(amount, None, "")
    return Value(None, None, _words(answer))


def _plain(answer: str, trims: bool = True) -> str:
    """An answer in plain typing, with numbers without thousands separators.

    Args:
        answer: The answer.
        trims: Whether trailing zeros go too. In words they may count: Python 3.10 is not Python 3.1.
    """
    answer_text = _COMMAS.sub(lambda match: match.group().replace(",", ""), plain(_GROUPED.sub("", answer)))
    return _DECIMALS.sub(lambda match: match.group().rstrip("0").rstrip("."), answer_text) if trims else answer_text


def _date(plain_answer: str) -> Date | None:
    without_day = _DAY_BEFORE.sub("", plain_answer)
    lost_stop = without_day.endswith(("C", "D", "E"))  # `44 B.C.` lost its last full stop
    forms = (without_day, f"{without_day}.") if lost_stop else (without_day,)
    matches = (pattern.fullmatch(form) for form in forms for pattern in dates.PATTERNS)
    date_match = next(filter(None, matches), None)
    return dates.read(date_match) if date_match else None


def _amount(plain_answer: str) -> Amount | None:
    """The number that an answer is as a whole."""
    if minus := _MINUS.match(plain_answer):
        amount = _amount(plain_answer[minus.end() :])
        return amount and replace(amount, number=-amount.number)
    signed = _MINUS_AFTER.sub("-", re.sub(r"^in (?=\d{4}$)", "", plain_answer))
    if sum(char.isdigit() for char in signed) > MOST_DIGITS or _NO_SYMBOL.search(plain_answer):
        return None
    signed = f"-{signed.replace('-', '', 1)}" if signed[1:2] == "-" and signed[:1] in amounts.CURRENCIES else signed
    if _NUMERAL.fullmatch(signed):
        return Amount(float(signed))
    if fraction := _FRACTION.fullmatch(signed):
        return Amount(int(fraction[1]) / int(fraction[2]))
    signed = re.sub(r"^([-+]?)\.(?=\d)", r"\g<1>0.", signed).removeprefix("+")
    if re.match(r"-?0\d", signed):
        return None
    if match := amounts.NUMBER.fullmatch(signed):
        return amounts.read_number(match)
    match = amounts.ORDINAL.fullmatch(signed)
    return amounts.read_ordinal(match) if match else None


def _words(answer: str) -> str:
    """An answer without case, punctuation and articles; if that leaves nothing, all of it.

    A sign or a point that belongs to a number is kept, and so are symbols: `C++` is not `C`.
    """
    if len(answer) > LONGEST_ANSWER:
        return " ".join(answer.casefold().split())
    plain_answer = _plain(unicodedata.normalize("NFC", answer), trims=False).casefold()
    pieces = "".join(char if _counts(plain_answer, place) else "" for place, char in enumerate(plain_answer)).split()
    words = [word for place, word in enumerate(pieces) if not _is_article(word, place, len(pieces))]
    return " ".join(words) or answer.strip().casefold()


def _counts(text: str, place: int) -> bool:
    char = text[place]
    if not unicodedata.category(char).startswith("P") or char in "#%":
        return True
    after = text[place + 1 : place + 2]
    if char == "-" and ((not place and after.strip()) or (not after and text[place - 1].isalnum())):
        return True  # a sign, or a grade: -π, BBB-
    if not after.isdigit():
        return False
    before = text[place - 1 : place] if place else ""
    return before.isdigit() or (char in "-." and not before.isalnum())


def _is_article(word: str, place: int, count: int) -> bool:
    """Whether a word is an article. The last word is not: `the vitamin A`."""
    return word == "the" or (word in ("a", "an") and place == 0 and count > 1)
