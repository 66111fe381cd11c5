"""The sections of a page: prose, and the headings between it."""

import re
from typing import NamedTuple

from .segments import Span

MOST_WORDS, MOST_CHARS = 10, 80
"""The most characters of a heading."""
MOST_MARKED = 400
"""The most characters of a marked heading, which is shown with each window of its section."""

_MARKS = re.compile(r"^#{1,6}\s+")
_ENDS = tuple(".!?:;,…。！？：；，")


class Section(NamedTuple):
    """A stretch of a page under one heading."""

    heading: str
    """Empty before the first heading."""
    body: Span
    """Character offsets in the page."""


def sections(page: str) -> list[Section]:
    """The sections of a page that have any text, in order.

    A heading is a short line that does not end like a sentence, comes after the end of one or after a blank line, and
    is followed by prose. In a list or a table of short lines there is none.
    """
    all_sections: list[Section] = []
    lines = _lines(page)
    heading, start = "", 0
    for place, (first, last) in enumerate(lines):
        if not _is_heading(page, lines, place):
            continue
        all_sections.append(Section(heading, (start, first)))
        heading, start = _MARKS.sub("", page[first:last]).rstrip("# "), last
    all_sections.append(Section(heading, (start, len(page))))
    return [section for section in all_sections if page[slice(*section.body)].strip()]


def prose(page: str) -> str:
    """A page without its headings."""
    return "\n\n".join(page[slice(*each.body)].strip() for each in sections(page))


def _lines(page: str) -> list[Span]:
    """The non-blank lines of a page, without the white space around them."""
    spans: list[Span] = []
    for line in re.finditer(r"[^\n]+", page):
        stripped = line[0].strip()
        if stripped:
            first = line.start() + line[0].index(stripped[0])
            spans.append((first, first + len(stripped)))
    return spans


def _is_heading(page: str, lines: list[Span], place: int) -> bool:
    if place + 1 == len(lines) or not _is_short(page[slice(*lines[place])]):
        return False
    last = lines[place - 1] if place else None
    stands_alone = (
        last is None or "\n" in page[last[1] : lines[place][0]].partition("\n")[2] or page[last[1] - 1] in _ENDS
    )
    after = page[slice(*lines[place + 1])]
    return stands_alone and not _is_short(after) and not after[:1].islower()


def _is_short(line: str) -> bool:
    """Whether a line has the form of a heading: short, and neither a sentence nor an item of a list."""
    if _MARKS.match(line):
        return len(line) <= MOST_MARKED
    fits = len(line) <= MOST_CHARS and len(line.split()) <= MOST_WORDS
    return fits and line[0].isalnum() and not line[0].islower() and not line.endswith(_ENDS)
