"""Writing a fact the way another one is written: a year for a year, words for words, the same unit."""

import re

from ....state.text import amounts, dates
from ....state.text.amounts import Amount
from .facts import Fact
from .words import stem

Replacement = tuple[int, int, str]
"""Start and end in the text, and what stands there instead."""


def in_style_of(text: str, fact: Fact, other: Fact, evidence: str = "") -> Replacement:
    """What to write in the place of a fact of the text, for the value of another, which stands in the evidence.

    Raises ValueError where what comes of it would be no English.
    """
    if fact.date and other.date:
        words = _date(fact, fact.date, other.date, other.text)
    elif fact.amount and other.amount:
        words = _amount(fact, fact.amount, other, other.amount)
    elif fact.kind == "contrast":
        words = _capital_like(fact.text, other.text)
    else:
        return _with_the(text, fact, other.text, evidence, other)
    start, end, words = with_article(text, fact.start, fact.end, words)
    return _with_noun(text, start, end, words, fact, other, evidence)


def _date(fact: Fact, mine: dates.Date, theirs: dates.Date, their_form: str) -> str:
    """As precise as the text is: its year, decade or century; otherwise as the evidence writes it.

    Where the evidence has only another year, the text keeps its day and month.
    """
    if _ISO.fullmatch(their_form) and fact.text[-1].isdigit() and not _ISO.fullmatch(fact.text):
        their_form = _in_letters(fact, theirs)
    if mine.month and theirs.month and theirs.day and not mine.day:
        return _DAY.sub("", their_form)
    if not mine.years or not theirs.years or (mine.month and theirs.month):
        return their_form
    year = theirs.years[0]
    if mine.month and theirs.span == 1:
        return re.sub(r"\d{4}", str(year), fact.text, count=1) if year > 999 else their_form
    if mine.span == 1 and theirs.span == 1:
        return re.sub(r"\d+", str(abs(year)), fact.text, count=1)
    if mine.span == 10 and re.search(r"\d{3}0", fact.text):
        return re.sub(r"\d{3}0", str(year // 10 * 10), re.sub(r"^(early|mid-?|late) ", "", fact.text), count=1)
    if mine.span > 10 and "century" in fact.text and year > 0:
        return re.sub(r"^\S+?(?=[ -]century)", _ordinal((theirs.years[1] - 1) // 100 + 1), fact.text, count=1)
    return their_form


_ISO = re.compile(r"\d{4}-\d\d-\d\d")


def _in_letters(fact: Fact, date: dates.Date) -> str:
    """A day with the name of its month, which the text has before or behind the day."""
    assert date.years
    assert date.month
    month, year = dates.MONTHS[date.month - 1], date.years[0]
    is_first = fact.text[0].isalpha() and "," in fact.text
    return f"{month} {date.day}, {year}" if is_first else f"{date.day} {month} {year}"


_DAY = re.compile(r"\b\d{1,2}(?:st|nd|rd|th)?(?:,| of)? |\s?\d{1,2}[日일]$")


def _ordinal(number: int) -> str:
    ending = "th" if 10 <= number % 100 <= 20 else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{ending}"


def _number_in(text: str) -> str:
    """The number of an amount as it is written, without commas."""
    match = amounts.NUMBER.match(text)
    return (match["digits"] or "").replace(",", "") if match else ""


def _amount(fact: Fact, mine: Amount, other: Fact, theirs: Amount) -> str:
    """In the text's unit and scale, in digits or words as the text has it; otherwise as the evidence writes it."""
    if mine.unit == "ordinal":
        return _rank(fact.text, int(theirs.number))
    if mine.unit != theirs.unit and _number_in(fact.text) == _number_in(other.text):
        return other.text  # it is the unit that is wrong
    value, match = amounts.converted(theirs, mine.unit), amounts.NUMBER.match(fact.text)
    if value is None or match is None:
        return other.text
    if match["spelled"] and not match["scales"]:
        return _in_words(fact.text, value) + fact.text[match.end("spelled") :]
    scale, size = amounts.scale_of(match), abs(value.number)
    if scale > max(size, 1):  # nobody writes 0.0055 million
        return other.text
    first, last = match.span("digits") if match["digits"] else match.span("spelled")
    decimals = len(fact.text[first:last].partition(".")[2])
    step = value.step / scale if theirs.unit == mine.unit else 10**-decimals
    commas = "," in fact.text + other.text or size / scale >= 10_000
    written = _number_in(other.text)
    is_theirs = mine.unit == theirs.unit and scale == 1 and bool(written) and float(written) == size
    places = len(written.partition(".")[2]) if is_theirs else 0
    digits = _digits(size / scale, _fine_enough(size / scale, step), commas, places)
    if size and not re.search(r"[1-9]", digits):  # too little to be told in this unit
        return other.text
    sign = (match["minus"] or _sign(other.text) or "-") if value.number < 0 else ""
    return sign + fact.text[len(match["minus"] or "") : first] + digits + fact.text[last:]


def _sign(text: str) -> str:
    """The minus of an amount as it is written; empty if it has none."""
    match = amounts.NUMBER.match(text)
    return (match["minus"] or "") if match else ""


ROUNDED_OFF = 0.02
"""How much of a number may be lost when it is written in another unit: 90 minutes are not 2 hours."""


def _fine_enough(number: float, step: float) -> float:
    """The step, or a tenth or hundredth of it if rounding to it would lose too much of the number."""
    steps = (step, step / 10, step / 100)
    return next((each for each in steps if abs(round(number / each) * each - number) <= ROUNDED_OFF * number), step)


def _rank(original: str, number: int) -> str:
    if original[0].isdigit() or number >= len(amounts.ORDINALS):
        return _ordinal(number)
    return _capital_like(original, amounts.ORDINALS[number])


def _in_words(original: str, value: Amount) -> str:
    """A number below twenty in words; a greater one, or a fraction, in digits."""
    if value.number == int(value.number) and 0 <= value.number < len(amounts.SMALL_NUMBERS):
        return _capital_like(original, amounts.SMALL_NUMBERS[int(value.number)])
    return _digits(value.number, value.step, commas=True)


def _digits(number: float, step: float, commas: bool, places: int = 0) -> str:
    """The number with as many decimals as its precision calls for, or in as many places as it was written: `1.10`."""
    fine = next((n for n in range(6) if abs(step * 10**n - round(step * 10**n)) < 1e-6 and round(step * 10**n)), 6)
    decimals = places or fine
    formatted = f"{number:,.{decimals}f}" if commas else f"{number:.{decimals}f}"
    return formatted if places or "." not in formatted else formatted.rstrip("0").rstrip(".")


def _capital_like(original: str, word: str) -> str:
    return word[:1].upper() + word[1:] if original[0].isupper() else word


def _with_noun(text: str, start: int, end: int, words: str, fact: Fact, other: Fact, evidence: str) -> Replacement:
    """Take the noun behind a count along if it has to change: `nine operas`, `one opera`."""
    if not evidence or not fact.amount or not other.amount or fact.amount.unit:
        return start, end, words
    if (fact.amount.number == 1) == (other.amount.number == 1):
        return start, end, words
    mine, theirs = _NOUN.match(text, end), _NOUN.match(evidence, other.end)
    if not mine or not theirs or stem(mine[1]) != stem(theirs[1]):
        raise ValueError("the noun would not agree with its number")
    return start, mine.end(), f"{words} {theirs[1]}"


def _with_the(text: str, fact: Fact, words: str, evidence: str, other: Fact) -> Replacement:
    """A name with `the` if the evidence has it with one. After `a` there is no place for a name."""
    if _ARTICLE.search(text, max(0, fact.start - 6), fact.start):
        raise ValueError("what stands here is described, not named")
    mine, theirs = _THE.search(text, 0, fact.start), _THE.search(evidence, 0, other.start)
    if mine and not theirs and evidence:
        return mine.start(), fact.end, words if mine.start() else words[:1].upper() + words[1:]
    if theirs and not mine and not fact.text.startswith("The "):
        the = "the" if re.search(r"\w[^.!?]*$", text[: fact.start]) else "The"
        return fact.start, fact.end, f"{the} {words}"
    return fact.start, fact.end, words


_AN = re.compile(r"(?!uni(?!n)|eu|one\b|once|us[aeiu]|U[KNS])[aeiou]|8|1[18](?:\b|,?\d{3}\b)|hour|honest|heir", re.I)
_NOUN = re.compile(r" ([a-z]+)")
_THE = re.compile(r"\b[Tt]he $")
_ARTICLE = re.compile(r"\b(an?)(\s+)$", re.IGNORECASE)


def with_article(text: str, start: int, end: int, words: str) -> Replacement:
    """Take the article before the fact along if it has to change: `a Polish`, `an Austrian`."""
    article = _ARTICLE.search(text, max(0, start - 6), start)
    if not article or not words:
        return start, end, words
    needed = "an" if _AN.match(words) else "a"
    if article[1].lower() == needed:
        return start, end, words
    needed = needed.capitalize() if article[1][0].isupper() else needed
    return article.start(), end, needed + article[2] + words
