"""The units of a sentence: words by stem, names, numbers with their unit, dates, times, negations, characters."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Literal

from ...state.text import amounts, dates
from ...state.text.amounts import SMALL_NUMBERS, Amount, Bound
from ...state.text.dates import Date
from ...state.text.segments import Span
from .marks import Typed, language_of, typed
from .opposites import NEGATIONS, is_one_of_many, stem

Kind = Literal["word", "name", "number", "date", "time", "negation", "joint", "character", "mark"]


@dataclass(frozen=True)
class Unit:
    """A unit of a sentence. Units with the same key say the same."""

    kind: Kind
    key: str
    text: str
    span: Span
    """Where it is in the typed sentence."""
    amount: Amount | None = None
    date: Date | None = None

    @property
    def is_value(self) -> bool:
        """Whether it is a number, a date or a time."""
        return self.kind in ("number", "date", "time")


@dataclass(frozen=True)
class Sentence:
    """A sentence as it is compared."""

    source: str
    typed: Typed
    language: str
    units: tuple[Unit, ...]

    def original(self, units: tuple[Unit, ...] | list[Unit]) -> Span:
        """Where units are in the sentence as it was."""
        return self.typed.original(units[0].span[0], units[-1].span[1])


JOINTS = frozenset(
    """in on at by from to of for with into onto near under over between among through across against during since
    until till before after about around as within outside inside along off per toward towards via behind beside
    beyond throughout upon without despite like and but while whereas although though because when where which who
    whom whose that so or nor if than it he she they this these those its his her their them him i we you there is
    are was were be been being has have had do does did can could will would shall should may might must also then
    today currently originally officially now only just even already again mainly mostly very well often usually not
    a an the up out down s""".split()
)
"""English words that join others, or stand for them."""
PRONOUNS = frozenset("it he she they this these those its his her their es er sie il elle él ella".split())
ARTICLES = frozenset(("a", "an", "the"))
SMALL = {
    "de": "null ein|eins|eine|einen zwei drei vier fünf sechs sieben acht neun zehn elf zwölf",
    "fr": "zéro un|une deux trois quatre cinq six sept huit neuf dix onze douze",
    "es": "cero un|uno|una dos tres cuatro cinco seis siete ocho nueve diez once doce",
}
_NUMBERS = {
    code: {word: n for n, words in enumerate(row.split()) for word in words.split("|") if n > 1}
    for code, row in SMALL.items()
}
_CJK = r"\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff"
_TOKEN = re.compile(
    rf"[{_CJK}]|[^\W\d_{_CJK}][^\W_{_CJK}]*(?:[-./&][^\W_{_CJK}]+)*|\d[\w.,/:-]*\w|\d|[^\W{_CJK}]+|[%‰€£$¥₩°±=<>+,;:()]"
)
_PARTED = re.compile(r"(?i)n't$|'s$|'(?:re|ve|ll|d|m|t)$")
_WORD_WITH_END = re.compile(rf"[^\W\d_{_CJK}]+(?:-[^\W_{_CJK}]+)*'(?:s|t|re|ve|ll|d|m)\b", re.IGNORECASE)
_TIME = re.compile(
    r"(?<![\d.,:])(?P<h>[01]?\d|2[0-4])(?:[:.](?P<m>[0-5]\d))? ?(?:(?P<half>[ap])\.?m\b\.?"
    r"|(?P<clock>Uhr\b|o'clock\b|点|시(?!간)))"
    r"|(?<![\d.,:])(?P<h2>[01]?\d|2[0-4]):(?P<m2>[0-5]\d)(?![:\d])(?: ?(?:Uhr\b|o'clock\b|h\b))?",
    re.IGNORECASE,
)
_CJK_NUMBER = re.compile(
    r"(?<![一二两三四五六七八九十百])[一二两三四五六七八九十百]{1,6}(?=[个位座部条次颗名季集种只张楼周天年月日岁倍本片粒支瓶章层号块台辆家所届元米公吨克])"
)
_NUMBER_WORDS = {word: number for number, word in enumerate(SMALL_NUMBERS)}
_TIMES = re.compile(
    rf"\b(?:(?:once|twice)(?= (?:a|an|per|every|each|daily|weekly)\b)|(?:\d+|{'|'.join(SMALL_NUMBERS)}) times)\b",
    re.IGNORECASE,
)
_LATER_YEAR = re.compile(r"(?<![\w.,$£€-])(?:1\d{3}|20\d{2})(?![\w%]|[.,]\d|-\w)")
_PARTICLE = re.compile(
    "(?<=[\uac00-\ud7a3])(?:에서는|에게서|으로써|에서|에게|으로|보다|까지|부터|이다|이|가|은|는|을|를|의|에|로|와|과|도)$"
)
MEASURED_ALIKE = 0.005
"""How far apart two measurements may be that are both right."""
_FLAT = {"second": 1.0, "minute": 60.0, "hour": 3600.0, "day": 86400.0, "week": 604800.0}


@lru_cache(maxsize=20_000)
def read(source: str, of_document: str = "") -> Sentence:
    """The units of a sentence, in its language or, where its words do not tell, in that of its document."""
    text = typed(source, of_document)
    language = language_of(text.text, of_document)
    values = _values(text.text, language)
    units: list[Unit] = []
    place = 0
    for value in values:
        units += _words(text.text, place, value.span[0], language, first=not units)
        units.append(value)
        place = value.span[1]
    units += _words(text.text, place, len(text.text), language, first=not units)
    if language == "en":
        units = _in_one_word(units)
        if len(units) > 1 and units[0].kind == "word" and units[1].kind == "name" and units[0].text[:1].isupper():
            units[0] = replace(units[0], kind="name")
    return Sentence(source, text, language, tuple(units))


PHRASAL = {
    ("came", "out"): "release", ("comes", "out"): "release", ("broke", "out"): "begin", ("passed", "away"): "die",
    ("took", "place"): "hold", ("set", "up"): "found",
}  # fmt: skip


def _in_one_word(units: list[Unit]) -> list[Unit]:
    """Verbs of two words as one unit."""
    joined: list[Unit] = []
    for unit in units:
        key = PHRASAL.get((joined[-1].text, unit.text)) if joined else None
        if key:
            last = joined.pop()
            unit = Unit("word", key, last.text, (last.span[0], unit.span[1]))
        if joined and joined[-1].key in ("a", "an") and unit.kind == "name":  # `by a Dane` describes, and names nobody
            unit = replace(unit, kind="word")
        is_behind = bool(joined) and joined[-1].kind in ("name", "word") and joined[-1].text[:1].isupper()
        if is_behind and (_is_designation(unit) or (unit.text == "I" and joined[-1].kind == "name")):
            unit = replace(unit, kind="name", key=f"no. {unit.key}")
        joined.append(unit)
    return joined


def _is_designation(unit: Unit) -> bool:
    """Whether a number behind a name belongs to it: `Apollo 12`, `Flight 214`."""
    return unit.kind == "number" and unit.text.isdigit() and unit.amount is not None and unit.amount.bound == "exact"


def _values(text: str, language: str) -> list[Unit]:
    if not re.search(r"\d", text) and language not in ("en", "zh", "de", "fr", "es"):
        return []
    found: list[Unit] = []

    def add(unit: Unit) -> None:
        if not any(unit.span[0] < other.span[1] and other.span[0] < unit.span[1] for other in found):
            found.append(unit)

    if re.search(r"\d|century", text):
        for pattern in dates.PATTERNS:
            for match in pattern.finditer(text):
                if date := dates.read(match):
                    add(Unit("date", f"date {date}", match[0], match.span(), date=date))
        for match in _TIME.finditer(text):
            add(_time(match))
        for match in _LATER_YEAR.finditer(text):
            before = text[: match.start()].rstrip(" (").rpartition(" ")[2].lower()
            after = text[match.end() :].lstrip(")")
            is_counted = re.match(r" [a-z]{4,}s\b", after) and before not in dates.YEAR_CUES
            if not is_counted and (before in dates.YEAR_CUES or not re.match(r" ?[°%€$£A-Za-z]", after)):
                year = int(match[0])
                add(Unit("date", f"date {Date((year, year))}", match[0], match.span(), date=Date((year, year))))
    for match in _TIMES.finditer(text) if language == "en" else ():
        count = match[0].split()[0].lower()
        times = {"once": 1, "twice": 2, **_NUMBER_WORDS}.get(count)
        number = int(count) if times is None else times
        add(Unit("number", f"{number} times", match[0], match.span(), Amount(float(number), "times")))
    for match in amounts.ORDINAL.finditer(text):
        amount = amounts.read_ordinal(match)
        if match[0].lower() != "second" or not re.search(
            r"(?:\d|\b(?:per|a|each|every|one|of)) ?$", text[: match.start()]
        ):
            add(Unit("number", f"{amount.number:g} ordinal", match[0], match.span(), amount))
    for match in amounts.NUMBER.finditer(text):
        if (read_amount := amounts.read_number(match)) is not None:
            bound = _bound(text[max(match.start() - 15, 0) : match.start()]) if language == "en" else "exact"
            add(_number(match[0], match.span(), replace(read_amount, bound=bound)))
    for match in _CJK_NUMBER.finditer(text) if language == "zh" else ():
        add(_number(match[0], match.span(), Amount(float(_chinese(match[0])))))
    for match in re.finditer(r"[^\W\d_]+", text) if language in _NUMBERS else ():
        if (counted := _NUMBERS[language].get(match[0].lower())) is not None:
            add(_number(match[0], match.span(), Amount(float(counted))))
    return sorted(found, key=lambda unit: unit.span)


def _bound(before: str) -> Bound:
    """What the words before a number make of it. `At least` and `at most` are told apart as words."""
    if re.search(r"\b(?:about|around|roughly|approximately|almost|nearly|some|circa|ca\.?) $", before, re.IGNORECASE):
        return "about"
    if re.search(r"\b(?:over|more than|above) $", before, re.IGNORECASE):
        return "over"
    return "under" if re.search(r"\b(?:under|less than|fewer than|below) $", before, re.IGNORECASE) else "exact"


def _number(text: str, span: Span, amount: Amount) -> Unit:
    text, span = text.rstrip(), (span[0], span[0] + len(text.rstrip()))
    number, unit = amount.number, amount.unit
    if unit in _FLAT:
        number, unit = number * _FLAT[unit], "second"
    return Unit("number", f"{number:.12g} {unit}".strip(), text, span, amount)


def _chinese(text: str) -> int:
    total, digit = 0, 0
    for char in text:
        value = amounts.CJK_DIGITS.get(char, 0)
        if char in "十百":
            total += (digit or 1) * (10 if char == "十" else 100)
            digit = 0
        else:
            digit = value
    return total + digit


def _time(match: re.Match[str]) -> Unit:
    hours, minutes = int(match["h"] or match["h2"]), int(match["m"] or match["m2"] or 0)
    if half := (match["half"] or "").lower():
        hours = hours % 12 + (12 if half == "p" else 0)
    text = match[0].rstrip()
    return Unit("time", f"at {hours * 60 + minutes}", text, (match.start(), match.start() + len(text)))


def _words(text: str, start: int, end: int, language: str, *, first: bool) -> Iterator[Unit]:
    place = start
    for match in _TOKEN.finditer(text, start, end):
        if match.start() < place:
            continue
        whole = _WORD_WITH_END.match(text, match.start(), end)
        parts = _parted(whole[0], whole.start()) if whole else _parted(match[0], match.start())
        for unit in parts:
            yield _word(*unit, language, is_first=first)
            first = False
        place = whole.end() if whole else match.end()


def _parted(word: str, start: int) -> list[tuple[str, int]]:
    """A word and its ending: `is` and `n't`, `Anna` and `'s`."""
    if word.lower() == "cannot":
        return [(word[:3], start), (word[3:], start + 3)]
    if word.lower() in ("can't", "won't"):
        return [(word[:3], start), (word[3:], start + 3)]
    cut = _PARTED.search(word)
    parts = [(word[: cut.start()], start), (cut[0], start + cut.start())] if cut else [(word, start)]
    return [part for part in parts if part[0]]


def _word(word: str, start: int, language: str, *, is_first: bool) -> Unit:
    span, lower = (start, start + len(word)), word.lower()
    if word in ",;:()":
        return Unit("mark", word, word, span)
    if re.match(rf"[{_CJK}]", word):
        return Unit("character", word, word, span)
    if lower in NEGATIONS.get(language, "").split() or lower in ("n't", "'t"):
        return Unit("negation", {"n't": "not", "'t": "not"}.get(lower, lower), word, span)
    if language == "en" and (lower in JOINTS or lower.startswith("'")):
        return Unit("joint", lower, word, span)
    if language == "ko":
        return Unit("word", _PARTICLE.sub("", word) if len(word) > 1 else word, word, span)
    key = stem(word) if language == "en" else lower
    is_name = word[0].isupper() and language == "en" and not is_first and not is_one_of_many(word)
    return Unit("name" if is_name else "word", key, word, span)


def exclude(mine: Unit, theirs: Unit) -> bool:
    """Whether two values of a kind cannot both be true; rounding excludes nothing."""
    if mine.date and theirs.date:
        return dates.exclude(mine.date, theirs.date)
    if mine.amount and theirs.amount:
        if (mine.amount.unit == "ordinal") != (theirs.amount.unit == "ordinal"):
            return False
        one, other = mine.amount, theirs.amount
        if "times" in (one.unit, other.unit) and one.unit != other.unit:
            return False
        if one.bound != other.bound or one.bound == "about":
            return amounts.exclude(one, other)
        if one.unit == other.unit or not amounts.comparable(one, other):
            is_measured = one.unit == other.unit and one.unit.islower() and one.unit not in ("ordinal", "times")
            if is_measured and abs(one.number - other.number) <= MEASURED_ALIKE * abs(other.number):
                return False
            return mine.key != theirs.key and not (one.unit == other.unit and _rounds(one, other))
        return amounts.exclude(one, other) and not amounts.agree(one, other)
    return mine.kind == theirs.kind == "time" and mine.key != theirs.key


def _rounds(one: Amount, other: Amount) -> bool:
    """Whether one of two amounts of a unit is the other, rounded to its last digit that is not zero."""
    if one.step == other.step:
        return False
    fine, coarse = sorted((one, other), key=lambda amount: amount.step)
    apart = abs(fine.number - coarse.number)
    return apart <= min(coarse.step / 2, amounts.MOST_ROUNDED * abs(coarse.number)) + 1e-9
