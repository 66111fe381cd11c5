"""What the row of a table says of a statement, all of whose words must be those of the row, of a column and of a value.

The value is compared with that of the column. Nothing else of the row, and no other row, says anything.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Literal, NamedTuple

from ....state.text.dates import BARE_YEAR
from .clauses import PERSON_STEMS, POSSESSIVES, Clause, is_anaphor
from .facts import BOUNDS, Fact
from .naming import share_a_part
from .rows import Cell, Row, whole_amount
from .slots import RECURRING, SINGLE_DOER, compare
from .tables import table
from .verbs import is_past
from .words import ARTICLES, PREPOSITIONS, Word, stems, words

SMALL = table("a an the is are has have of in on with its")
PAST = table("was were had")
"""Further words of a statement about something past. Of how things are, a row tells no more than how they are now."""
HEDGED = frozenset(" ".join(BOUNDS).split())
MOST_LABELLED = 20
"""The most values of a statement and a row that are looked at in pairs."""
COUNTING = {"date": stems("year date"), "amount": stems("number count total")}
"""Words of a column's name that only say of what kind its values are."""
PLACES = stems("country state region county province district continent city town place location")
STANDING = stems(
    """city town village river lake mountain bridge tower building museum castle church harbour port station airport
    stadium university school park island volcano lighthouse dam"""
)
"""What stays where it is, so that the place in its row is where it lies."""
CROSSING = stems("river lake mountain bridge island park")
"""What may lie in two countries, of which its row has one."""
LYING = table("is lies stands located situated")
LARGER, SMALLER = stems("country state region county province continent"), stems("city town village municipality")
TIMES = stems("year date season month quarter period edition")
"""Columns that say of which time the others are."""
DOERS = (*PERSON_STEMS, "architect", " by")
"""How the name of a column ends whose values did it, whatever it was done to."""


Label = Literal["entailment", "contradiction"]


class Told(NamedTuple):
    """What a row says of a statement, and the two values."""

    label: Label
    row: Row
    fact: Fact
    theirs: Fact


@dataclass(frozen=True)
class Statement:
    """A clause as a statement about the key of a row: its words, with where the key and a value stand."""

    words: tuple[Word, ...]
    key: range
    value: range = range(0)

    @property
    def rest(self) -> list[Word]:
        """The words besides the two."""
        return [word for place, word in enumerate(self.words) if place not in self.key and place not in self.value]

    def without(self, dropped: set[int]) -> "Statement":
        """The statement without some of its words."""
        left = [place for place in range(len(self.words)) if place not in dropped]
        moved = {place: number for number, place in enumerate(left)}
        key, value = (range(moved[part[0]], moved[part[-1]] + 1) for part in (self.key, self.value))
        return Statement(tuple(self.words[place] for place in left), key, value)

    def shape(self, of_key: frozenset[str]) -> list[str]:
        """The words in order, with `K` and `V`; without articles and what only says of what kind the key is."""
        found: list[str] = []
        for place, word in enumerate(self.words):
            if place in self.key or place in self.value:
                mark = "K" if place in self.key else "V"
                found += [] if found[-1:] == [mark] else [mark]
            elif word.lower not in ("a", "an", "the") and word.stem not in of_key:
                found.append(word.lower)
        return found


@dataclass(frozen=True)
class Value:
    """A value of a statement, and that of a cell which may be told of the same."""

    statement: Statement
    cell: Cell
    fact: Fact
    theirs: Fact

    def label(self, key: Cell) -> Label | None:
        """What the cell says of the value, if the statement is about it; None if neither."""
        outcome = compare(self.fact, self.theirs)
        if outcome == "same" and not _is_finer(self.fact, self.theirs):
            return "entailment"
        is_excluded = outcome == "conflict" and _excludes(self, key)
        return "contradiction" if is_excluded else None


def looked_up(claim: Clause, rows: Sequence[Row], title: str = "") -> Told | None:
    """What the rows say of a claim; None if nothing, or not the same.

    Args:
        claim: The statement.
        rows: The rows of the evidence.
        title: The title and headings of its page, which may say of which year the table is.
    """
    if claim.cjk or claim.negated or claim.half_denied:
        return None
    years = {match["year"] for match in BARE_YEAR.finditer(title)}
    is_dated = not years <= {word.text for word in claim.words}
    told = [each for row in rows for each in _of_row(claim, row, is_dated)]
    cells = {(each.label, each.theirs.text) for each in told}
    if len(cells) != 1 or len({row.says for row in rows if row.key.value == told[0].row.key.value}) > 1:
        return None
    return told[0]


def _of_row(claim: Clause, row: Row, is_dated: bool) -> Iterator[Told]:
    statement = _about(claim, row.key.value)
    if not statement or (row.key.names & LARGER and any(cell.names & SMALLER for cell in row.cells)):
        return  # such a row may be about its town
    is_dated = is_dated or any(cell.names and cell.names <= TIMES for cell in row.cells)
    values = [
        Value(placed, cell, fact, theirs)
        for cell in row.cells
        for fact, theirs in _values(claim, statement, cell)
        for placed in [replace(statement, value=_places(statement, fact))]
        if placed.value and not set(placed.value) & set(placed.key) and not (is_dated and _may_change(placed, fact))
    ]
    labelled = [(value, label) for value in values if (label := value.label(row.key))]
    for value, label in labelled:
        if _says(value.statement, value.fact, value.cell, row.key):
            yield Told(label, row, value.fact, value.theirs)
    if len(labelled) > MOST_LABELLED:
        return
    for (one, first), (other, second) in combinations(labelled, 2):
        if "entailment" in (first, second) and _says_beside(one, other, row) and _says_beside(other, one, row):
            wrong, label = (one, first) if first == "contradiction" else (other, second)
            yield Told(label, row, wrong.fact, wrong.theirs)


def _says_beside(value: Value, other: Value, row: Row) -> bool:
    """Whether a statement with two values says the one of them: `was found by Ann Lee in 1931`.

    The other is left out with the small words that lead to it, or with its column as well: `with a population of 5`.
    """
    if value.cell == other.cell or set(value.statement.value) & set(other.statement.value):
        return False
    apart = {*value.statement.key, *value.statement.value}
    for names in (frozenset[str](), other.cell.names):
        first = other.statement.value[0]
        while first and first - 1 not in apart and _leads_to(value.statement.words[first - 1], names):
            first -= 1
        reduced = value.statement.without({*range(first, other.statement.value[-1] + 1)} - apart)
        if _says(reduced, value.fact, value.cell, row.key):
            return True
    return False


def _leads_to(word: Word, names: frozenset[str]) -> bool:
    return word.lower in PREPOSITIONS | ARTICLES or word.stem in names


def _may_change(statement: Statement, fact: Fact) -> bool:
    """Whether a statement of how things are may be true of one year only: a count or an office, but not a length."""
    is_of_past = any(word.lower in PAST for word in statement.rest)
    measured = fact.amount and fact.amount.unit.islower() and fact.amount.unit != "%"
    return fact.kind != "date" and not is_of_past and not measured


def _is_finer(fact: Fact, theirs: Fact) -> bool:
    """Whether a statement has another number that the cell's could be rounded from: a cell is as exact as it looks."""
    mine, other = fact.amount, theirs.amount
    if not mine or not other or mine.unit != other.unit:
        return False
    return mine.step < other.step and mine.number != other.number


def _about(claim: Clause, key: str) -> Statement | None:
    """The clause with the place of the key in it, or in the subject that its pronoun stands for."""
    own, looked_for = tuple(claim.words), [word.text for word in words(key)]
    if own and own[0].lower == "and":
        own = own[1:]
    if not any(map(str.isalpha, key)):
        return None
    if place := _find(own, looked_for):
        return Statement(own, place)
    own_subject = [word.text for word in words(claim.own_subject)]
    if own_subject and not is_anaphor(claim.own_subject) and own_subject[0].lower() not in POSSESSIVES:
        return None
    stands = _find(own, own_subject) or range(int(bool(own) and own[0].lower in ("it", "he", "she", "they")))
    left = [word for place, word in enumerate(own) if place not in stands]
    subject = [word._replace(start=-1, end=-1) for word in words(claim.subject)]
    place = _find(subject, looked_for)
    return Statement((*subject, *left), place) if place else None


def _find(row: Sequence[Word], looked_for: Sequence[str]) -> range:
    """Where some words stand among others; an empty range if nowhere."""
    texts = [word.text.removesuffix("'s").removesuffix("’s") for word in row]
    length = len(looked_for)
    starts = (start for start in range(len(row) - length + 1) if texts[start : start + length] == list(looked_for))
    first = next(starts, None)
    return range(0) if first is None or not length else range(first, first + length)


def _values(claim: Clause, statement: Statement, cell: Cell) -> Iterator[tuple[Fact, Fact]]:
    """The values of a claim that are of the kind of a cell's, each with the cell's."""
    stands = _find(statement.words, [word.text for word in words(cell.value)])
    if stands and (name := cell.read("name")):
        start, end = statement.words[stands[0]].start, statement.words[stands[-1]].end
        yield replace(name, start=start, end=end), name
    for fact in claim.facts:
        for mine in _readings(fact):
            if theirs := cell.read(mine.kind):
                yield mine, theirs


def _readings(fact: Fact) -> Iterator[Fact]:
    """A fact, and what else it may be: 1850 may be a number as well as a year."""
    yield fact
    if fact.kind == "date" and (amount := whole_amount(fact.text)):
        yield replace(fact, kind="amount", date=None, amount=amount)


def _places(statement: Statement, fact: Fact) -> range:
    found = [place for place, word in enumerate(statement.words) if fact.start <= word.start and word.end <= fact.end]
    return range(found[0], found[-1] + 1) if found else range(0)


def _says(statement: Statement, fact: Fact, cell: Cell, key: Cell) -> bool:
    """Whether a statement says that its value is the one of a cell, and nothing else."""
    if fact.kind == "name":
        return _names(statement, cell, key)
    told = {word.stem for word in _without_hedge(statement)} - {""}
    needed = cell.names - COUNTING[fact.kind]
    small = SMALL | PAST if fact.kind == "date" or any(map(str.isdigit, cell.name)) else SMALL
    if not needed or not needed <= told or not told - key.names - COUNTING[fact.kind] <= cell.names:
        return False
    if fact.kind == "date" and not _happens(statement, cell):
        return False
    return all(word.stem in told or word.lower in small for word in _without_hedge(statement))


def _without_hedge(statement: Statement) -> list[Word]:
    """The words besides key and value, without those that limit the value: `more than 12,000`."""
    first = statement.value[0]
    while statement.value[0] - first < 2 and first and statement.words[first - 1].lower in HEDGED:
        first -= 1
    return replace(statement, value=range(first, statement.value[-1] + 1)).rest


def _happens(statement: Statement, cell: Cell) -> bool:
    """Whether a statement tells when something happened: `was founded in`, `the year of foundation is`."""
    return any(
        (word.stem in cell.names and is_past(word.lower)) or word.stem in COUNTING["date"] for word in statement.rest
    )


def _names(statement: Statement, cell: Cell, key: Cell) -> bool:
    """Whether the order of the words says that a name is the value of the column."""
    shape = statement.shape(key.names)
    head = [word.lower for word in statement.rest if word.stem in cell.names]
    if head and stems(" ".join(head)) == cell.names:
        named = [[*head, "of", "K", "is", "V"], ["V", "is", *head, "of", "K"]]
        owned = [["K", *head, "is", "V"], ["V", "is", "K", *head]]
        done = [["K", "was", *head, "by", "V"], ["K", "is", *head, "by", "V"], ["V", *head, "K"]]
        if shape in named or (shape in owned and _is_owner(statement)):
            return True
        if shape in done and is_past(head[-1]) and cell.name.lower().endswith(DOERS):
            return True
    lies = shape[:1] == ["K"] and shape[-2:] == ["in", "V"] and set(shape[1:-2]) <= LYING and len(shape) > 3
    is_standing = bool((key.names | stems(words(key.value)[-1].text)) & STANDING)
    return lies and is_standing and cell.names <= PLACES


def _is_owner(statement: Statement) -> bool:
    return statement.words[statement.key[-1]].lower.endswith("'s")


def _excludes(value: Value, key: Cell) -> bool:
    """Whether the value of a statement cannot be true beside that of the cell."""
    fact, theirs, cell = value.fact, value.theirs, value.cell
    if fact.amount:
        return fact.amount.bound in ("exact", "about")
    if fact.kind == "date":
        return not cell.names & RECURRING
    if not theirs.text[0].isupper() or (cell.names <= PLACES and key.names & CROSSING):
        return False
    is_deed = any(word.stem in cell.names and is_past(word.lower) for word in value.statement.rest)
    if is_deed and not cell.names & SINGLE_DOER:
        return False
    if fact.meant or theirs.meant:
        levels = [{each.level for each in name.meant} for name in (fact, theirs)]
        return levels[0] == levels[1]
    return not share_a_part(fact.text, theirs.text)
