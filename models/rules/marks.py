"""One typing for a sentence: no citation markers, ligatures or hyphenation, and numbers as English writes them."""

import re
import unicodedata
from functools import lru_cache
from typing import NamedTuple

from ...state.text.dates import MONTHS
from ...state.text.segments import Span
from ...state.text.typography import plain

MARKER = re.compile(
    r"\s?\[\^?\d{1,3}(?:[,;–-] ?\d{1,3})*\]|【[^】]{0,60}】|(?<=[^\W\d_][.,;]|[^\W\d_][^\W\d_]|.[.。)\"”])[¹²³⁴-⁹⁰]+"
    r"|\s?\((?:source|see|quelle)s?:? [^()\s]{1,60}\)|\s?\[PB?\d+\]",
    re.IGNORECASE,
)
"""A citation marker: `[1]`, `[^1]`, a footnote's raised number, `(source: policy.md)`."""
LINK = re.compile(r"\s?\(\[[^\]\n]{1,80}\]\([^()\s]{1,300}\)\)|!?\[([^\]\n]{1,200})\]\([^()\s]{1,300}\)|\s?\(#\d+\)")
_MARKUP = re.compile(r"\*\*|__|`|(?<!\w)\*(?=\w)|(?<=\w)\*(?!\w)|[\u00ad\u200b-\u200f\u2060\ufeff]")
_HYPHENATED = re.compile(r"(?<=[^\W\d_])[-\u2010]\s*\n\s*(?=[a-zà-ÿ\ufb00-\ufb06])")
_BREAK = re.compile(
    r"(?<=[\u2e80-\u9fff\uf900-\ufaff\uff00-\uff60])[^\S\n]*\n\s*(?=[\u2e80-\u9fff\uf900-\ufaff\d])"
    r"|(?<=\d)[^\S\n]*\n\s*(?=[\u2e80-\u9fff\uf900-\ufaff])"
)
_OPENING = re.compile(
    r"^[¹²³⁰-⁹]+\s*|^\s*(?:(?:[-*•–·]|\(?(?:\d{1,2}|[a-z]|[ivx]{1,4})\)|(?-i:(?:\d{1,2}\.|\d{1,2}(?:\.\d{1,2}){1,3})(?=\s+[A-Z\"“]))|第\d+条)\s+)+"
    r"|^\s*(?:please (?:check|verify|correct)[^:\n]{0,40}|check (?:this|that)[^:\n]{0,30}|claim|note|statement"
    r"|bitte prüfen(?: sie)?|请(?:检查|核实))\s*[:：]\s*",
    re.IGNORECASE,
)
"""A list or paragraph number, or a request that is no part of the statement."""
FOREIGN_MONTHS = {
    "de": "januar|jänner februar märz april mai juni juli august september oktober november dezember",
    "fr": "janvier février mars avril mai juin juillet août septembre octobre novembre décembre",
    "es": "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre",
    "nb": "januar februar mars april mai|maj juni juli august september oktober november desember|december",
    "cs": "ledna února března dubna května června července srpna září října listopadu prosince",
    "fi": "tammikuuta helmikuuta maaliskuuta huhtikuuta toukokuuta kesäkuuta heinäkuuta elokuuta syyskuuta lokakuuta "
    "marraskuuta joulukuuta",
}
MONTH_OF = {
    name: number
    for row in FOREIGN_MONTHS.values()
    for number, names in enumerate(row.split(), 1)
    for name in names.split("|")
}
_FOREIGN_DATE = re.compile(
    rf"\b(\d{{1,2}})(?:\.|er|º)? (?:de )?({'|'.join(MONTH_OF)})\b(?:(?: de)? (\d{{4}}))?", re.IGNORECASE
)
_FUNCTION_WORDS = {
    "de": "der die das und ist nicht mit ein eine von zu den im am wird sie dem des auf für bei nach",
    "fr": "le la les des est et une dans du pour pas que au sur par sont ne avec",
    "es": "el la los las es en del y por con una para se no que al son",
    "en": "the of is and to in was for with on are not a by from be at it",
}
_GROUPED = re.compile(r"(?<![\w.,'])\d{1,3}(?:(?P<mark>[ '.])\d{3})(?:(?P=mark)\d{3})*(?![\w'])(?:,\d+)?")
_COMMA = re.compile(r"(?<![\w.,])(\d+),(\d{1,2}|\d{4,})(?![\d,]|\.\d)")
_POINT = re.compile(r"(?<![\w.,])\.(?=\d)")


class Typed(NamedTuple):
    """A sentence in one typing, and where each of its characters stands in the sentence as it was."""

    text: str
    starts: tuple[int, ...]
    ends: tuple[int, ...]
    number: str = ""
    """The number of its paragraph: `1. Vorsitzender` may be one, or not."""

    def original(self, start: int, end: int) -> Span:
        """Where a span of the typed text is in the sentence as it was."""
        return self.starts[start], self.ends[end - 1]


@lru_cache(maxsize=4_000)
def language_of(text: str, of_document: str = "") -> str:
    """The language of a sentence: `zh`, `ko`, `en`, `de`, `fr`, `es`, or empty for one that has no tables here.

    A sentence that has none of the commonest words is in the language of its document.
    """
    sample = text[:1_000]
    letters = sum(map(str.isalpha, sample)) or 1
    if len(re.findall("[\uac00-\ud7a3]", sample)) * 3 > letters:
        return "ko"
    if len(re.findall("[\u3040-\u30ff]", sample)) * 5 > letters:
        return ""
    if len(re.findall("[\u2e80-\u9fff\uf900-\ufaff]", sample)) * 3 > letters:
        return "zh"
    words = re.findall(r"[^\W\d_]+", sample.lower())
    counts = {code: sum(word in row.split() for word in words) for code, row in _FUNCTION_WORDS.items()}
    best = max(counts, key=lambda code: (counts[code], code == "en"))
    if of_document in counts and counts[best] == counts[of_document]:
        return of_document
    if counts[best] == 0:
        return "en" if sample.isascii() else ""
    return best


@lru_cache(maxsize=8_000)
def typed(sentence: str, of_document: str = "") -> Typed:
    """A sentence in one typing."""
    text, starts, ends = plain(sentence), list(range(len(sentence))), list(range(1, len(sentence) + 1))
    opening = _OPENING.match(text)

    def replace(pattern: re.Pattern[str], new: object) -> None:
        nonlocal text, starts, ends
        out: list[str] = []
        out_starts: list[int] = []
        out_ends: list[int] = []
        done = 0
        for match in pattern.finditer(text):
            words = new(match) if callable(new) else str(new)
            if words == match.group():
                continue
            out += [text[done : match.start()], words]
            out_starts += starts[done : match.start()] + [starts[match.start()]] * len(words)
            out_ends += ends[done : match.start()] + [ends[match.end() - 1]] * len(words)
            done = match.end()
        if out:
            text = "".join(out) + text[done:]
            starts, ends = out_starts + starts[done:], out_ends + ends[done:]

    replace(LINK, lambda match: match[1] or "")
    replace(MARKER, "")
    replace(_MARKUP, "")
    replace(_OPENING, "")
    replace(_HYPHENATED, "")
    replace(_BREAK, "")
    replace(re.compile(r"[^\x00-\x7f]\u0338?[\u0300-\u036f]*"), lambda match: _one_form(match.group()))
    replace(re.compile(r"\s+"), " ")
    language = language_of(text, of_document)
    if any(map(str.isdigit, text)):
        if language not in ("en", "zh", "ko"):
            replace(_FOREIGN_DATE, _english_date)
            replace(_GROUPED, lambda match: _in_english(match, ".' "))
            replace(_COMMA, lambda match: f"{match[1]}.{match[2]}")
        else:
            replace(_GROUPED, lambda match: _in_english(match, "' "))
        replace(_POINT, "0.")
    return Typed(text, tuple(starts), tuple(ends), "".join(filter(str.isdigit, opening[0])) if opening else "")


def _one_form(char: str) -> str:
    """Ligatures as letters, radicals as the characters that they are of; raised numbers stay: `m²` is not `m2`."""
    if char in "²³¹…™℃℉½¼¾":
        return {"℃": "°C", "℉": "°F", "…": "..."}.get(char, char)
    return unicodedata.normalize("NFKC", char)


def _in_english(match: re.Match[str], marks: str) -> str:
    if match["mark"] not in marks:
        return match.group()
    whole, _, decimals = match.group().partition(",")
    return whole.replace(match["mark"], ",") + (f".{decimals}" if decimals else "")


def _english_date(match: re.Match[str]) -> str:
    return f"{match[1]} {MONTHS[MONTH_OF[match[2].lower()] - 1]}" + (f" {match[3]}" if match[3] else "")
