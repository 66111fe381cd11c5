"""Writing a fact the way another one is written: a year for a year, words for words, the same unit."""

import re

from . import amounts, contrasts, dates
from .amounts import Amount
from .facts import Fact

Replacement = tuple[int, int, str]
"""Start and end in the text, and what stands there instead."""


def in_style_of(text: str, fact: Fact, other: Fact) -> Replacement:
    """What to write in the place of a fact, for the value of another."""
    if fact.date and other.date:
        words = _date(fact, fact.date, other.date, other.text)
    elif fact.amount and other.amount:
        words = _amount(fact, fact.amount, other, other.amount)
    elif fact.kind == "contrast":
        words = _contrast(fact.text, other.text)
    else:
        words = other.text
    return _with_article(text, fact.start, fact.end, words)


def _date(fact: Fact, mine: dates.Date, theirs: dates.Date, written: str) -> str:
    if mine.years and theirs.years and mine.span == 1 and theirs.span == 1:
        if mine.month is None:
            return re.sub(r"\d+", str(abs(theirs.years[0])), fact.text, count=1)
    if mine.years and theirs.years and mine.span == 10 and not mine.month and re.search(r"\d{3}0", fact.text):
        decade = theirs.years[0] // 10 * 10
        return re.sub(r"\d{3}0", str(decade), re.sub(r"^(early|mid-?|late) ", "", fact.text), count=1)
    if mine.years and theirs.years and mine.span >= 100 and "century" in fact.text and theirs.years[0] > 0:
        number = (theirs.years[1] - 1) // 100 + 1
        return re.sub(r"^\S+", _ordinal(number), fact.text, count=1)
    return written


def _ordinal(number: int) -> str:
    ending = "th" if 10 <= number % 100 <= 20 else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{ending}"


def _amount(fact: Fact, mine: Amount, other: Fact, theirs: Amount) -> str:
    if mine.unit == "ordinal":
        if fact.text[0].isdigit():
            return _ordinal(int(theirs.number))
        spelled = (
            amounts.ORDINALS[int(theirs.number)]
            if theirs.number < len(amounts.ORDINALS)
            else _ordinal(int(theirs.number))
        )
        return spelled.capitalize() if fact.text[0].isupper() else spelled
    value = amounts.converted(theirs, mine.unit)
    if value is None:
        return other.text
    found = amounts.NUMBER.match(fact.text)
    if not found:
        return other.text
    if found["spelled"] and not found["scales"]:
        number = value.number
        if number == int(number) and 0 <= number < 20:
            word = amounts.SMALL_NUMBERS[int(number)]
            word = word.capitalize() if fact.text[0].isupper() else word
        else:
            word = _digits(number, value.step, True)
        return word + fact.text[found.end("spelled") :]
    scale = 1.0
    for name in found["scales"].replace("-", " ").split():
        scale *= amounts.SCALES[name.lower()]
    for char in found["cjk_scale"]:
        scale *= amounts.CJK_SCALES[char]
    first, last = found.span("digits") if found["digits"] else found.span("spelled")
    step = (
        value.step / scale
        if value.unit == theirs.unit and other.amount is not None and theirs.unit == mine.unit
        else 10 ** -max(0, len(fact.text[first:last].partition(".")[2]))
    )
    return (
        fact.text[:first]
        + _digits(value.number / scale, step, "," in fact.text + other.text or value.number / scale >= 10_000)
        + fact.text[last:]
    )


def _digits(number: float, step: float, commas: bool) -> str:
    decimals = 0
    while decimals < 6 and abs(step * 10**decimals - round(step * 10**decimals)) > 1e-6:
        decimals += 1
    written = f"{number:,.{decimals}f}" if commas else f"{number:.{decimals}f}"
    if "." in written:
        written = written.rstrip("0").rstrip(".")
    return written


def _contrast(mine: str, theirs: str) -> str:
    return theirs.capitalize() if mine[0].isupper() and len(mine) > 1 and not mine.isupper() else theirs


_ARTICLE = re.compile(r"\b(an?)(\s+)$", re.IGNORECASE)


def _with_article(text: str, start: int, end: int, words: str) -> Replacement:
    """Take the article before the fact along if it has to change: `a Polish`, `an Austrian`."""
    found = _ARTICLE.search(text, max(0, start - 6), start)
    if not found or not words:
        return start, end, words
    needed = "an" if words[0].lower() in "aeiou8" and not words.lower().startswith(("uni", "eu", "one", "us")) else "a"
    if found[1].lower() == needed:
        return start, end, words
    needed = needed.capitalize() if found[1][0].isupper() else needed
    return found.start(), end, needed + found[2] + words


__all__ = ["contrasts", "in_style_of"]
