"""The difference between two texts for people: line by line, or word by word if they have enough in common."""

import re
from collections.abc import Iterator
from difflib import SequenceMatcher, unified_diff
from io import StringIO

from .spans import Segment

_WORD = re.compile(r"\w+|\s+|[^\w\s]")
MOST_WORDS = 4_000
"""The most characters of both texts. Longer ones are shown as replaced: comparing takes time in proportion to their
product.
"""
ALIKE = 0.5
"""The share of common text from which on differences are easier to read than both texts."""


def by_words(parts: list[Segment]) -> list[Segment]:
    """The segments, with a replacement of everything split into the words that differ.

    Joined, all `before` and all `after` still give the same texts.
    """
    changed = [part for part in parts if part["edits"]]
    if len(parts) != 1 or not changed or not parts[0]["before"] or not parts[0]["after"]:
        return parts
    return list(_cut(parts[0]))


def unified(before: str, after: str, file: str = "") -> str:
    """The lines that differ, as `diff -u` shows them and `patch` reads them; empty if none does.

    Args:
        before: A text.
        after: The other text.
        file: The name of the file that the texts are from, if any.
    """
    # only a line feed ends a line; `str.splitlines` knows others, which `patch` does not
    old, new = (list(StringIO(text, newline="\n")) for text in (before, after))
    names = (file, file, "original", "corrected") if file else ("original", "corrected")
    no_line_feed = "\n\\ No newline at end of file\n"
    return "".join(line if line.endswith("\n") else line + no_line_feed for line in unified_diff(old, new, *names))


def _cut(part: Segment) -> Iterator[Segment]:
    before, after = _WORD.findall(part["before"]), _WORD.findall(part["after"])
    same = SequenceMatcher(a=before, b=after, autojunk=False)
    if len(before) + len(after) > MOST_WORDS or same.ratio() < ALIKE:
        yield part
        return
    for kind, start, end, begin, stop in same.get_opcodes():
        old, new = "".join(before[start:end]), "".join(after[begin:stop])
        yield {"before": old, "after": new, "edits": [] if kind == "equal" else part["edits"]}
