"""Rows of tables, as `state.text.tables` tells them: what a row is about, and its columns with their values."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache

from ....state.text import amounts, dates
from ....state.text.sections import sections
from ....state.text.segments import Span, sentences
from ....state.text.tables import without_pipes
from . import places
from .facts import Fact, Kind
from .tables import table
from .words import first_verb, words

LONGEST_NAME = 60
"""The most characters of the name of a column."""
_CELL = re.compile(rf"(?P<name>[^:;\n]{{1,{LONGEST_NAME}}}): (?P<value>[^;\n]*[^;\s])")
_BETWEEN = re.compile(r";\s+")
_PLURAL_SCALE = re.compile(r"\b(hundred|thousand|million|billion|trillion)s\b", re.IGNORECASE)
_THOUSANDS_WITH_POINTS = re.compile(r"\d{1,3}(?:\.\d{3})+")
"""What is 12,000 to some and 12 to others."""
SEVERAL = re.compile(r"[,/&(]|\band\b|\bor\b")
"""What stands between several values in one cell, or before a remark on one."""
NO_VALUE = table(
    "unknown none various vacant tbd tba nobody several unassigned missing other others nil null pending na"
)
"""What stands in a cell that says nothing."""
JOINING = table("of in by the a an at on and is was")


@dataclass(frozen=True)
class Cell:
    """The value of a row in a column, with its place in the text."""

    name: str
    """What the column is called, without the unit of its values."""
    value: str
    span: Span
    unit: str = ""

    @cached_property
    def names(self) -> frozenset[str]:
        """What the words of the column's name are counted as."""
        return frozenset(word.stem or word.lower for word in words(self.name) if word.lower not in JOINING)

    def read(self, kind: Kind) -> Fact | None:
        """The whole value as a fact of a kind; None if it is none."""
        if kind == "date":
            return self._date()
        if kind == "amount":
            return self._amount()
        return self._name() if kind == "name" else None

    def _name(self) -> Fact | None:
        is_one = any(map(str.isalpha, self.value)) and not SEVERAL.search(self.value) and not self.unit
        is_name = is_one and self.value.lower().rstrip(".") not in NO_VALUE
        return Fact("name", self.value, *self.span, meant=places.lookup(self.value)) if is_name else None

    def _date(self) -> Fact | None:
        matches = (pattern.fullmatch(self.value) for pattern in (*dates.PATTERNS, dates.BARE_YEAR))
        match = next(filter(None, matches), None)
        date = dates.read(match) if match and not self.unit else None
        return Fact("date", self.value, *self.span, date=date) if date else None

    def _amount(self) -> Fact | None:
        text = _with_unit(self.value, self.unit)
        amount = None if _THOUSANDS_WITH_POINTS.fullmatch(self.value) else whole_amount(text)
        return Fact("amount", text, *self.span, amount=amount) if amount else None


@dataclass(frozen=True)
class Row:
    """A row of a table, with its place in the text."""

    says: str
    span: Span
    key: Cell
    """What it is about."""
    cells: tuple[Cell, ...]
    """Its other cells."""


def whole_amount(text: str) -> amounts.Amount | None:
    """The amount that a text is, if it is nothing else."""
    match = amounts.NUMBER.fullmatch(text)
    return amounts.read_number(match) if match else None


@lru_cache(maxsize=64)
def rows(text: str) -> tuple[Row, ...]:
    """The rows of the tables in a text."""
    return tuple(row for span in sentences(text) if (row := _row(text, span)))


@lru_cache(maxsize=64)
def without_rows(text: str) -> str:
    """A text without the rows of its tables, but for the sentences in their cells."""
    found, done = "", 0
    for row in rows(text):
        told = " ".join(f"{cell.value}." for cell in row.cells if _is_sentence(cell.value))
        found, done = f"{found}{text[done : row.span[0]]}\n\n{told}\n\n", row.span[1]
    return found + text[done:] if done else text


@lru_cache(maxsize=64)
def with_rows(text: str) -> str:
    """A text with each of its Markdown tables told row by row."""
    return without_pipes(text)


@lru_cache(maxsize=64)
def headings(text: str) -> str:
    """What stands above the rows and other paragraphs of a text."""
    return " ".join(section.heading for section in sections(text))


def _row(text: str, span: Span) -> Row | None:
    cells = list(_cells(text, span))
    columns = [cell.name.casefold() for cell in cells]
    if len(cells) < 2 or len(set(columns)) < len(columns):
        return None
    return Row(text[slice(*span)], span, cells[0], tuple(cells[1:]))


def _cells(text: str, span: Span) -> Iterator[Cell]:
    """The cells of a row; none if the sentence is no row."""
    place, end = span[0], span[1]
    if text[end - 1] == ".":
        end -= 1
    found: list[Cell] = []
    while place < end:
        match = _CELL.match(text, place, end)
        if not match:
            return
        found.append(_cell(match))
        between = _BETWEEN.match(text, match.end(), end)
        if not between and match.end() < end:
            return
        place = between.end() if between else end
    yield from found


def _cell(match: re.Match[str]) -> Cell:
    name, unit = _named(match["name"].strip())
    return Cell(name, match["value"], match.span("value"), unit)


def _named(name: str) -> tuple[str, str]:
    """The name of a column and the unit of its values: `Height (m)`, `Price in USD`."""
    before, _, after = name.rpartition(" in ")
    bracketed = name[:-1].replace("[", "(").rpartition("(") if name.endswith((")", "]")) else ("", "", "")
    for bare, unit in ((bracketed[0].strip(), bracketed[2]), (before.rstrip(" ,"), after)):
        if bare and whole_amount(_with_unit("5", unit)) and unit.strip():
            return bare, unit
    return name, ""


def _with_unit(value: str, unit: str) -> str:
    unit = _PLURAL_SCALE.sub(r"\1", unit)
    return f"{unit}{value}" if unit in amounts.CURRENCIES else f"{value} {unit}".strip()


def _is_sentence(value: str) -> bool:
    row = words(value)
    return len(row) > 3 and 0 < first_verb(row) < len(row)
