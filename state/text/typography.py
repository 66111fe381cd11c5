"""One spelling for what is typed in several ways: quotes, apostrophes, dashes, spaces, full-width letters."""

import re
import unicodedata
from typing import NamedTuple

_ALIKE = {
    "'": "‘’‚‛′ʼ`´",
    '"': "“”„‟″«»",
    "-": "‐‑‒–—―−﹣",
    " ": "\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u3000",
}
_PLAIN = {ord(char): plain for plain, chars in _ALIKE.items() for char in chars} | {
    code: chr(code - 0xFEE0) for code in range(0xFF01, 0xFF5F)
}


_MARKS = re.compile(r"(?P<even>(?:[!-~]| (?!\s))+(?![\u0300-\u036f]))|\s+|.[\u0300-\u036f]*", re.DOTALL)
"""A stretch of ASCII, which reads as it is typed; white space; or a character with its accents."""


class Reading(NamedTuple):
    """A normalised text, and where each of its characters is in the text itself."""

    text: str
    starts: list[int]
    ends: list[int]


def plain(text: str) -> str:
    """The text in plain typing, character for character, so that an offset in one is an offset in the other."""
    return text.translate(_PLAIN)


def reading(text: str) -> Reading:
    """The text in plain typing, with any white space as one blank and without invisible characters (soft hyphens)."""
    characters: list[str] = []
    starts: list[int] = []
    ends: list[int] = []
    for match in _MARKS.finditer(plain(text)):
        mark = match.group()
        if match["even"]:
            characters.append(mark)
            starts += range(match.start(), match.end())
            ends += range(match.start() + 1, match.end() + 1)
            continue
        if unicodedata.category(mark[0]) == "Cf":
            continue
        plain_mark = " " if mark.isspace() else "..." if mark == "…" else unicodedata.normalize("NFC", mark)
        characters.append(plain_mark)
        starts += [match.start()] * len(plain_mark)
        ends += [match.end()] * len(plain_mark)
    return Reading("".join(characters), starts, ends)


def typed_as(words: str, sample: str) -> str:
    """Some words with the apostrophes and dashes of a stretch of text, if it uses one kind of them."""
    kinds: dict[str, set[str]] = {"'": set(), "-": set()}
    for char in sample:
        if (kind := plain(char)) in kinds:
            kinds[kind].add(char)
    return "".join(next(iter(kinds[char])) if len(kinds.get(char, ())) == 1 else char for char in words)
