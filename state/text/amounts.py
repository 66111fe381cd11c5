"""Amounts: counts, quantities with units, percentages, money and ordinals; and when two of them can both be true."""

import re
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import lru_cache
from math import isclose
from typing import Any, Literal

from text_to_num import text2num

Bound = Literal["exact", "about", "over", "under"]


@dataclass(frozen=True)
class Amount:
    """An amount. `unit` is pint's name, `%`, an ISO currency, `ordinal`, or empty for a count.

    `step` is the precision it is written with: 0.1 for 330.2, 100,000 for 2.1 million.
    """

    number: float
    unit: str = ""
    step: float = 1.0
    bound: Bound = "exact"


UNITS = {
    "meter": "m metre metres meter meters 米 公尺 미터",
    "kilometer": "km kilometre kilometres kilometer kilometers 公里 千米 킬로미터",
    "centimeter": "cm centimetre centimetres centimeter centimeters 厘米 公分 센티미터",
    "millimeter": "mm millimetre millimetres millimeter millimeters 毫米 밀리미터",
    "foot": "ft foot feet 英尺 피트",
    "inch": "inch inches",
    "mile": "mi mile miles 英里 마일",
    "yard": "yd yard yards",
    "kilogram": "kg kilogram kilograms kilogramme kilogrammes kilo kilos 公斤 千克 킬로그램",
    "gram": "g gram grams gramme grammes 克 그램",
    "milligram": "mg milligram milligrams milligramme milligrammes 毫克 밀리그램",
    "microgram": "µg μg mcg microgram micrograms 微克 마이크로그램",
    "metric_ton": "tonne tonnes 吨 톤",
    "ton": "ton tons",
    "pound": "lb lbs pound pounds 磅",
    "liter": "l litre litres liter liters 升 리터",
    "milliliter": "ml millilitre millilitres milliliter milliliters 毫升 밀리리터",
    "gallon": "gallon gallons",
    "kilometer**2": "km2 km² 平方公里 제곱킬로미터",
    "meter**2": "m2 m² 平方米 제곱미터",
    "mile**2": "sqmi",
    "hectare": "ha hectare hectares 公顷 헥타르",
    "acre": "acre acres",
    "degree_Celsius": "°c ℃ celsius 摄氏度 도",
    "degree_Fahrenheit": "°f ℉ fahrenheit",
    "kelvin": "kelvin kelvins",
    "second": "second seconds sec 秒 초",
    "minute": "minute minutes 分钟 분",
    "hour": "h hr hrs hour hours 小时 个小时 시간",
    "day": "day days 天 일",
    "week": "week weeks",
    "month": "month months 个月 개월",
    "year": "year years 年 년",
    "decade": "decade decades",
    "century": "century centuries",
    "kilometer/hour": "km/h kph kmh",
    "mile/hour": "mph",
    "kilometer/second": "km/s",
    "meter/second": "m/s",
    "volt": "volt volts",
    "watt": "watt watts",
    "megawatt": "mw megawatt megawatts",
    "kilowatt": "kw kilowatt kilowatts",
    "kilowatt_hour": "kwh",
    "hertz": "hz hertz",
    "gigahertz": "ghz gigahertz",
    "gigabyte": "gb gigabyte gigabytes",
    "terabyte": "tb terabyte terabytes",
    "light_year": "light-year light-years",
    "%": "% percent 퍼센트",
    "USD": "usd dollar dollars 美元 달러",
    "EUR": "eur euro euros 欧元 유로",
    "CNY": "cny yuan 元",
    "KRW": "krw won 원",
    "JPY": "jpy yen",
    "GBP": "gbp",
}
LONG_UNITS = {
    "square kilometres": "kilometer**2", "square kilometers": "kilometer**2", "square miles": "mile**2",
    "square metres": "meter**2", "square meters": "meter**2", "square feet": "foot**2", "cubic metres": "meter**3",
    "cubic meters": "meter**3", "cubic kilometres": "kilometer**3", "cubic kilometers": "kilometer**3",
    "sq mi": "mile**2", "sq km": "kilometer**2",
    "per cent": "%", "degrees celsius": "degree_Celsius", "degrees fahrenheit": "degree_Fahrenheit",
    "°c": "degree_Celsius", "° c": "degree_Celsius", "°f": "degree_Fahrenheit",
    "kilometres per hour": "kilometer/hour", "kilometers per hour": "kilometer/hour", "miles per hour": "mile/hour",
    "kilometres per second": "kilometer/second", "kilometers per second": "kilometer/second",
    "metres per second": "meter/second", "meters per second": "meter/second",
    "light years": "light_year", "light-years": "light_year", "us dollars": "USD",
}  # fmt: skip
CURRENCIES = {"$": "USD", "£": "GBP", "€": "EUR", "¥": "JPY", "₩": "KRW"}
_MONEY = frozenset(CURRENCIES.values())
SCALES = {"hundred": 1e2, "thousand": 1e3, "million": 1e6, "billion": 1e9, "trillion": 1e12, "bn": 1e9, "m": 1e6}
CJK_SCALES = {
    "百": 1e2, "千": 1e3, "万": 1e4, "萬": 1e4, "亿": 1e8, "億": 1e8, "만": 1e4, "억": 1e8, "천": 1e3, "조": 1e12,
}  # fmt: skip

SMALL_NUMBERS = """
    zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen
    eighteen nineteen""".split()
TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split()
ORDINALS = """
    zeroth first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth
    fifteenth sixteenth seventeenth eighteenth nineteenth twentieth""".split()
CJK_DIGITS = {char: value for value, char in enumerate("零一二三四五六七八九")} | {"两": 2, "十": 10}

_UNIT_OF = {word: unit for unit, names in UNITS.items() for word in names.split()} | LONG_UNITS
_SPELLED = rf"(?:{'|'.join([*SMALL_NUMBERS, *TENS])})"
_CJK_UNIT = "|".join(sorted((re.escape(w) for w in _UNIT_OF if ord(w[0]) > 0x2E80), key=len, reverse=True))
_LATIN_UNIT = "|".join(sorted((re.escape(w) for w in _UNIT_OF if ord(w[0]) <= 0x2E80), key=len, reverse=True))

NUMBER = re.compile(
    rf"""(?P<minus>(?<![\w.,)%-])(?:[-\u2212\u2013](?=[$£€¥₩\d])|minus\ ))?(?P<currency>[$£€¥₩]\ ?)?
    (?:(?<![A-Za-z0-9_.,])(?P<digits>\d{{1,3}}(?:,\d{{3}})+(?:\.\d+)?|\d{{1,15}}(?:\.\d{{1,9}})?)(?![\d]|,\d)
      |(?<![\w-])(?P<spelled>{_SPELLED}(?:[ -](?:and[ ])?(?:{_SPELLED}|hundred|thousand))*)(?![\w]))
    (?P<scales>(?:[ -](?:hundred|thousand|million|billion|trillion|bn)\b)*)
    (?P<cjk_scale>[百千万萬亿億만억천조]{{0,2}})
    (?:(?P<unit>\ ?%|[ -]?(?:{_LATIN_UNIT})(?![\w²])|\ ?(?:{_CJK_UNIT})))?""",
    re.VERBOSE | re.IGNORECASE,
)
ORDINAL = re.compile(
    rf"(?<![\w-])(?:(?P<number>\d{{1,4}})(?:st|nd|rd|th)"
    rf"|(?P<word>(?:(?:{'|'.join(TENS)})-)?(?:{'|'.join(ORDINALS[1:])})))(?![\w])"
    r"|第(?P<cjk>\d{1,3}|[一二三四五六七八九十])|(?P<korean>\d{1,3}) ?번째",
    re.IGNORECASE,
)
CJK_COUNT = re.compile(r"(?P<cjk_count>[一二两三四五六七八九十])(?=[个位座部条次颗名季集人种只张])")


def read_number(match: re.Match[str]) -> Amount | None:
    """The amount that a match of NUMBER means, or None if it means none."""
    scale = scale_of(match)
    if match["digits"]:
        number, step = _digits(match["digits"], scale)
    else:
        try:
            number, step = text2num(match["spelled"].lower().replace("-", " "), "en") * scale, scale
        except ValueError:  # number words in a row that are not a number: `nine nine`
            return None
    name = (match["unit"] or "").lower().strip(" -")
    unit = _UNIT_OF[name] if name else ""
    if match["currency"]:
        currency = CURRENCIES[match["currency"].strip()]
        if name == "m":  # $5 m
            number, step = number * SCALES[name], step * SCALES[name]
        elif unit not in ("", currency):
            return None
        unit = currency
    return Amount(-number if match["minus"] else number, unit, step)


def scale_of(match: re.Match[str]) -> float:
    """What `million` or 万 after a number multiplies it by."""
    scale = 1.0
    for word in match["scales"].replace("-", " ").split():
        scale *= SCALES[word.lower()]
    for char in match["cjk_scale"]:
        scale *= CJK_SCALES[char]
    return scale


def read_ordinal(match: re.Match[str]) -> Amount:
    """The rank that a match of ORDINAL means."""
    if digits := match["number"] or match["korean"]:
        return Amount(float(digits), "ordinal")
    if cjk := match["cjk"]:
        return Amount(float(CJK_DIGITS.get(cjk, 0) or cjk), "ordinal")
    tens, _, unit_word = match["word"].lower().rpartition("-")
    return Amount(float(ORDINALS.index(unit_word) + (TENS.index(tens) * 10 + 20 if tens else 0)), "ordinal")


def _digits(digits: str, scale: float) -> tuple[float, float]:
    """The number and the precision it is written with; trailing zeros of a large number are not significant.

    It is scaled as a decimal and rounded only then: 1.005 million is exactly 1,005,000.
    """
    plain = digits.replace(",", "")
    whole, _, decimals = plain.partition(".")
    number = float(Decimal(plain) * Decimal(scale))
    if decimals:
        return number, 10.0 ** -len(decimals) * scale
    zeros = len(whole) - len(whole.rstrip("0"))
    return number, (float(10**zeros) if float(plain) >= 1000 else 1.0) * scale


def same_amount(amount: Amount, other: Amount) -> bool:
    """Whether two amounts are the same, in whatever units; one may leave its unit out.

    Hedges and precision do not count. A rank is never a count.
    """
    if amount.unit == other.unit or ("" in (amount.unit, other.unit) and "ordinal" not in (amount.unit, other.unit)):
        return amount.number == other.number
    theirs = converted(other, amount.unit)
    return theirs is not None and isclose(amount.number, theirs.number, rel_tol=1e-12, abs_tol=1e-9)


def comparable(amount: Amount, other: Amount) -> bool:
    """Whether two amounts may be of the same: five hours and 32 kilometres are not. One may leave its unit out."""
    if amount.unit == other.unit or not (amount.unit and other.unit) or {amount.unit, other.unit} <= _MONEY:
        return True
    return converted(amount, other.unit) is not None


def converted(amount: Amount, unit: str) -> Amount | None:
    """The amount in another unit, or None if it cannot be converted."""
    if amount.unit == unit:
        return amount
    if not _physical(amount.unit) or not _physical(unit):
        return None
    try:
        registry = _registry()
        number = registry.Quantity(amount.number, amount.unit).to(unit).magnitude
        near = registry.Quantity(amount.number + amount.step, amount.unit).to(unit).magnitude
    except Exception:  # pint's errors share no base class that excludes programming errors
        return None
    return replace(amount, number=float(number), unit=unit, step=abs(float(near) - float(number)))


def _physical(unit: str) -> bool:
    return bool(unit) and unit not in ("%", "ordinal") and not unit.isupper()


@lru_cache
def _registry() -> Any:
    """Pint takes half a second to load, and only a conversion needs it."""
    import pint

    return pint.UnitRegistry()


MOST_ROUNDED = 0.1
"""How much of a number rounding may take or add."""


def agree(text: Amount, evidence: Amount) -> bool:
    """Whether the text's amount is true if the evidence's is, allowing for rounding and for the text's own hedges."""
    theirs = converted(evidence, text.unit)
    if theirs is None:
        return False
    if text.bound == "over":
        return text.number * 0.999 <= theirs.number <= text.number * 3
    if text.bound == "under":
        return text.number / 2 <= theirs.number <= text.number * 1.001
    slack = 0.05 if "about" in (text.bound, theirs.bound) else 0.0
    if _near(text.number, theirs.number, slack):
        return True
    # 10,000 may be a round number, but not one that stands for 5,500
    is_close = _near(text.number, theirs.number, MOST_ROUNDED)
    return is_close and (_rounds_to(theirs, text) or _rounds_to(text, theirs))


def exclude(text: Amount, evidence: Amount) -> bool:
    """Whether the two cannot both be true, and not just because of their precision."""
    theirs = converted(evidence, text.unit)
    if theirs is None or agree(text, theirs):
        return False
    if theirs.bound == "over":
        return text.number < theirs.number * 0.9 and text.bound != "over"
    if theirs.bound == "under":
        return text.number > theirs.number * 1.1 and text.bound != "under"
    if text.bound in ("over", "under"):
        return theirs.number < text.number * 0.95 if text.bound == "over" else theirs.number > text.number * 1.05
    if "about" in (text.bound, theirs.bound):
        return not _near(text.number, theirs.number, 0.08)
    inexact = text.unit not in ("", "ordinal") or max(text.number, theirs.number) >= 1000
    return not _near(text.number, theirs.number, 0.005 if inexact else 0.0)


def _near(number: float, other: float, slack: float) -> bool:
    return abs(number - other) <= slack * max(abs(number), abs(other)) + 1e-9


def _rounds_to(fine: Amount, coarse: Amount) -> bool:
    """Whether the finer number, rounded as the coarser one is, gives the coarser one."""
    return (
        coarse.step >= fine.step
        and abs(fine.number - coarse.number) <= coarse.step / 2
        and abs(coarse.number) >= coarse.step
    )
