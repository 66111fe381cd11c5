"""Tables as text: each row is a sentence that repeats the names of its columns, so that it can be read alone."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, takewhile

IDENTIFYING = frozenset("id no nr # rank number index position pos row".split())
"""Names of columns of numbers that say nothing of a row but which one it is."""

LONGEST_NAME = 60
"""The most characters of the name of a column: it stands in every row."""
MOST_TOLD, ALWAYS_TOLD = 8, 20_000
"""How many times as long as its cells a table may become, beyond some characters. The rows behind are without names."""
LONGEST_HEADING = 200
"""The most characters of what stands above a table."""
MOST_BEFORE_KEY = 5
"""The most columns that are looked at for what the rows are about."""


def as_sentences(rows: Iterable[Sequence[str]]) -> str:
    """The rows of a table, whose first row has the names of its columns, as in `City: Arlen; Population: 12000`.

    Each is a paragraph, without its empty cells, and begins with what the row is about. Where that is missing, or where
    several rows are about the same, it begins with the number of the row: none of them tells what is so of it. What
    stands above the names, alone in its row, is a heading.
    """
    tidy = [[" ".join(cell.split()) for cell in row] for row in rows]
    above = list(takewhile(lambda row: not _is_wide(row), tidy)) if any(map(_is_wide, tidy)) else []
    names, *body = tidy[len(above) :] or [[]]
    headings = [cell for row in above for cell in row if cell]
    names = [name.replace(";", ",").replace(":", " ").strip()[:LONGEST_NAME] for name in names]
    key = _key(names, body)
    times = Counter(row[key] for row in {tuple(row) for row in body} if key < len(row))
    told = (
        _sentence(names, row, key, "" if key < len(row) and row[key] and times[row[key]] == 1 else str(number))
        for number, row in enumerate(body, start=1)
        if any(row)
    )
    room = ALWAYS_TOLD + MOST_TOLD * sum(map(len, chain.from_iterable(body)))
    return "\n\n".join([*headings, *_within(room, told, body)])


def _within(room: int, told: Iterator[str], body: Iterable[Sequence[str]]) -> Iterator[str]:
    """Rows as sentences as long as there is room, and then as they are."""
    for row in filter(any, body):
        room -= len(sentence := next(told)) if room > 0 else 0
        yield sentence if room > 0 else "; ".join(filter(None, row))


def heading_of(told: str) -> str:
    """What stands above the first row of a table that is told in sentences; empty if nothing does."""
    heading, _, rest = told.partition("\n\n")
    return heading if rest and ": " not in heading and len(heading) <= LONGEST_HEADING else ""


def _is_wide(row: Sequence[str]) -> bool:
    return sum(map(bool, row)) > 1


def _key(names: Sequence[str], body: Sequence[Sequence[str]]) -> int:
    """The column that says what a row is about: the first that does not merely count the rows."""
    for place, name in enumerate(names[:MOST_BEFORE_KEY]):
        cells = [row[place] for row in body if place < len(row)]
        counts = name.lower().rstrip(".") in IDENTIFYING and all(cell.isdigit() for cell in cells if cell)
        if not counts and any(cells):
            return place
    return 0


def _sentence(names: Sequence[str], row: Sequence[str], key: int, number: str) -> str:
    cells = [*zip(names, row, strict=False), *(("", cell) for cell in row[len(names) :])]
    first = ("Row", number) if number else (cells[key][0] or "Name", cells.pop(key)[1])
    surplus = ", ".join(cell for name, cell in cells if cell and not name)
    told = [first, *(each for each in cells if all(each)), *([("more", surplus)] if surplus else [])]
    sentence = "; ".join(f"{name}: {cell.replace(';', ',')}" for name, cell in told)
    return sentence if sentence.endswith((".", "!", "?")) else f"{sentence}."


_ROW = re.compile(r"[^:;\n]{1,60}: [^;\n]+; [^:;\n]{1,60}: ")


def is_row(sentence: str) -> bool:
    """Whether a sentence is, or begins like, a row of a table."""
    return _ROW.match(sentence) is not None


_RULE = re.compile(r":?-+:?")
_CELL_END = re.compile(r"(?<!\\)\|")


def without_pipes(text: str) -> str:
    """A text with its Markdown tables told row by row."""
    if "|" not in text:
        return text
    return "\n".join(_told(text.split("\n")))


def _told(lines: Sequence[str]) -> Iterator[str]:
    place = 0
    while place < len(lines):
        is_head = "|" in lines[place] and place + 1 < len(lines) and "|" in lines[place + 1]
        if not is_head or not all(map(_RULE.fullmatch, _split(lines[place + 1]))):
            yield lines[place]
            place += 1
            continue
        body = list(takewhile(lambda line: "|" in line, lines[place + 2 :]))
        yield f"\n{as_sentences(map(_split, [lines[place], *body]))}\n"
        place += 2 + len(body)


def _split(line: str) -> list[str]:
    """The cells of a line between its pipes."""
    inside = line.strip().removeprefix("|")
    cells = [cell.replace("\\|", "|").strip() for cell in _CELL_END.split(inside)]
    return cells[:-1] if not cells[-1] and len(cells) > 1 else cells
