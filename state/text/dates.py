"""Dates: found in English, Chinese and Korean text, with their written precision, and compared as such."""

import re
from dataclasses import dataclass

from .amounts import ORDINALS

MONTHS = """January February March April May June July August September October November December""".split()
_MONTH_NUMBER = {name.lower(): number for number, name in enumerate(MONTHS, 1)}
_MONTH_NUMBER |= {name[:3].lower(): number for number, name in enumerate(MONTHS, 1)} | {"sept": 9}
_CENTURY_WORDS = [*ORDINALS[1:], "twenty-first"]


@dataclass(frozen=True)
class Date:
    """A range of years, and the month and day if written. A plain year is a range of one.

    Years BC are negative. A day without a year has no range.
    """

    years: tuple[int, int] | None
    month: int | None = None
    day: int | None = None
    about: bool = False
    part: str = ""
    """`early`, `mid` or `late`, for a decade."""

    @property
    def span(self) -> int:
        """The number of years in the range; 0 without one."""
        return self.years[1] - self.years[0] + 1 if self.years else 0


_MONTH = "(?P<month>" + "|".join([*MONTHS, *(name[:3] for name in MONTHS if name != "May"), "Sept"]) + r")\.?"
_YEAR = r"(?P<year>[12]\d{3})(?![\d,.]*\d)"
_DAY = r"(?P<day>[12]\d|3[01]|0?[1-9])(?:st|nd|rd|th)?(?!\d)"
_ERA = r"(?P<era>\s?(?:BCE?|B\.C\.(?:E\.)?))?"

PATTERNS = [  # the first that fits at a place wins
    re.compile(r"\b(?P<year>[12]\d{3})-(?P<m>0[1-9]|1[0-2])-(?P<day>[0-3]\d)\b"),
    re.compile(r"(?<![\w.])(?P<day>[0-3]?\d)\. ?(?P<m>[01]?\d)\. ?(?P<year>[12]\d{3})(?![\d.]*\d)"),
    # With slashes the day comes first in most countries, and second in the United States: only one above 12 tells.
    re.compile(r"(?<![\w/])(?P<day>1[3-9]|2\d|3[01])/(?P<m>0?[1-9]|1[0-2])/(?P<year>[12]\d{3})(?![/\d])"),
    re.compile(r"(?<![\w/])(?P<m>0?[1-9]|1[0-2])/(?P<day>1[3-9]|2\d|3[01])/(?P<year>[12]\d{3})(?![/\d])"),
    re.compile(rf"\b{_DAY} (?:of )?{_MONTH},? {_YEAR}\b"),
    re.compile(rf"\b{_MONTH} {_DAY},? {_YEAR}\b"),
    re.compile(rf"\b{_MONTH},? (?:of )?{_YEAR}\b"),
    re.compile(rf"\b{_DAY} (?:of )?{_MONTH}(?![\w])"),
    re.compile(rf"\b{_MONTH} {_DAY}\b"),
    re.compile(r"\b(?:the )?(?P<part>early |mid-?|late )?(?P<decade>[12]\d{2}0)'?s\b"),
    re.compile(r"\b(?P<century>\d{1,2})(?:st|nd|rd|th)[ -]century" + _ERA),
    re.compile(r"\b(?P<century_word>" + "|".join(_CENTURY_WORDS) + r")[ -]century" + _ERA, re.IGNORECASE),
    re.compile(r"\b(?P<year>\d{1,5}) ?(?P<era>BCE?|B\.C\.(?:E\.)?)"),
    re.compile(r"\b(?:AD|A\.D\.) ?(?P<year>\d{1,4})\b|\b(?P<year2>\d{1,4}) ?(?:AD|CE)\b"),
    re.compile(
        r"(?P<year>\d{3,4}) ?[年년] ?(?:(?P<m>\d{1,2}) ?[月월] ?(?:(?P<day>\d{1,2}) ?[日号일])?)?(?P<decades>代|대)?"
    ),
    re.compile(r"(?P<century>\d{1,2}) ?(?:世纪|世紀|세기)"),
    re.compile(r"(?<![\d年월月년])(?P<m>\d{1,2}) ?[月월] ?(?P<day>\d{1,2}) ?[日号일]"),
]
BARE_YEAR = re.compile(r"(?<![\w.,$£€-])(?P<year>1\d{3}|20\d{2})(?![\w%]|[.,]\d|-\w)")
YEAR_CUES = frozenset(
    """
    in since by of from until till to before after during around circa about early late mid year and or between ( –
    - the through spring summer autumn fall winter""".split()
)


def read(match: re.Match[str]) -> Date | None:
    """The date that a match of one of the patterns means, or None if there is no such date."""
    parts = {name: value for name, value in match.groupdict().items() if value}
    sign = -1 if "era" in parts and parts["era"].strip() else 1
    month = int(parts["m"]) if "m" in parts else _MONTH_NUMBER.get(parts.get("month", "").lower())
    day = int(parts["day"]) if "day" in parts else None
    if not (1 <= (1 if month is None else month) <= 12 and 1 <= (1 if day is None else day) <= 31):
        return None
    return Date(_years(parts, sign), month, day, part=parts.get("part", "").strip(" -"))


def _years(parts: dict[str, str], sign: int) -> tuple[int, int] | None:
    if "decade" in parts:
        first = int(parts["decade"])
        return (first, first + (99 if parts["decade"].endswith("00") else 9))
    if "century" in parts or "century_word" in parts:
        number = (
            int(parts["century"]) if "century" in parts else _CENTURY_WORDS.index(parts["century_word"].lower()) + 1
        )
        return (number * 100 - 100, number * 100) if sign > 0 else (-number * 100, -number * 100 + 100)
    if year := parts.get("year") or parts.get("year2"):
        first = sign * int(year)
        return (first, first + 9) if "decades" in parts else (first, first)
    return None


def contains(outer: Date, inner: Date) -> bool:
    """Whether the outer date, being less precise, is true of the inner one."""
    if outer.years and (not inner.years or not _within(outer.years, inner.years, 1 if outer.about else 0)):
        return False
    if not outer.years and not outer.month:
        return False
    return all(mine is None or mine == theirs for mine, theirs in ((outer.month, inner.month), (outer.day, inner.day)))


def _within(outer: tuple[int, int], inner: tuple[int, int], slack: int) -> bool:
    return outer[0] - slack <= inner[0] and inner[1] <= outer[1] + slack


def exclude(date: Date, other: Date) -> bool:
    """Whether the two cannot be the same date, however the unwritten parts are filled in."""
    slack = 10 if date.about or other.about else 0
    if (
        date.years
        and other.years
        and (date.years[1] + slack < other.years[0] or other.years[1] + slack < date.years[0])
    ):
        return True
    if slack:
        return False
    return any(a and b and a != b for a, b in ((date.month, other.month), (date.day, other.day)))
