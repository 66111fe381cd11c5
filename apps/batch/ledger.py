"""Which rows of a batch are finished and how, and what they cost. One byte per row, however many there are."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, get_args

from typing_extensions import TypedDict

from ...state.errors import ConfigurationError
from ...state.runs.meter import NOTHING
from .rows import shortened

Status = Literal["done", "unchecked", "failed", "malformed"]
"""How a row ended.

done
    its graph returned a result
unchecked
    its graph returned a result, but a model or a tool failed on the way (`stopped: "error"`)
failed
    its graph raised an error and returned no result
malformed
    it is not a valid input of the graph and was not run
"""

STATUSES: tuple[Status, ...] = get_args(Status)
RETRIED: tuple[Status, ...] = ("unchecked", "failed")
"""Outcomes that may be better another time."""
LONGEST_KIND = 120
"""How many characters of an error tell it from others."""
BUDGETED = ("llm_calls", "cost")
"""The parts of the usage that a batch may have a budget for."""


class Record(TypedDict):
    """A line of the output: a row and its outcome."""

    line: int
    """The number of its line in the input, from 1."""
    id: str | int | None
    status: Status
    error: str
    """Why it is not done; empty for a row that is."""
    row: dict[str, Any] | None
    """The row as given; None if the line is not a JSON object."""
    result: dict[str, Any] | None
    """The graph's result; None if there is none."""


@dataclass
class Ledger:
    """The finished rows, of this run and of earlier ones."""

    counts: dict[Status, int] = field(default_factory=lambda: dict.fromkeys(STATUSES, 0))
    usage: dict[str, float] = field(default_factory=lambda: dict.fromkeys(NOTHING, 0))
    """Summed over all rows; `seconds` too, although rows ran in parallel."""
    most: dict[str, float] = field(default_factory=dict)
    """The most that one row used of each budgeted thing; empty until a row reports it."""
    errors: dict[str, int] = field(default_factory=dict)
    """How often each error occurred, by its first words."""
    first_lines: dict[str, int] = field(default_factory=dict)
    """The line of the first row with each error."""
    statuses: Counter[str] = field(default_factory=Counter)
    """How many rows that are done have each status of a result: `corrected`, `not checked` and so on."""
    _known: bytearray = field(default_factory=bytearray)

    @property
    def finished(self) -> int:
        """How many rows are finished, whatever their status."""
        return sum(self.counts.values())

    def knows(self, line: int) -> bool:
        """Whether the row of an input line (from 1) is finished."""
        return line < len(self._known) and bool(self._known[line])

    def add(self, record: Mapping[str, Any]) -> None:
        """Count a finished row.

        Raises:
            ConfigurationError: If it was already counted.
        """
        line = record["line"]
        if self.knows(line):
            raise ConfigurationError(f"the output has row {line} twice: name another output")
        if line >= len(self._known):
            self._known.extend(bytes(max(line + 1 - len(self._known), len(self._known) // 4, 1024)))
        self._known[line] = 1
        self.counts[record["status"]] += 1
        if record["status"] == "done" and (status := (record["result"] or {}).get("status")):
            self.statuses[status] += 1
        usage = usage_of(record)
        self.spend(usage)
        for name in BUDGETED if record["status"] != "malformed" else ():
            if name in usage:  # without a price, there is no cost to count
                self.most[name] = max(self.most.get(name, 0), usage[name])
        if record["error"] and len(self.errors) < 1_000:
            kind = shortened(str(record["error"]), LONGEST_KIND)
            self.errors[kind] = self.errors.get(kind, 0) + 1
            self.first_lines[kind] = min(line, self.first_lines.get(kind, line))

    def at_least(self, usage: Mapping[str, float]) -> None:
        """Count what an account knows beyond the rows: calls of rows without a record."""
        for name, amount in usage.items():
            if amount or name in self.usage:
                self.usage[name] = max(self.usage.get(name, 0), amount)

    def spend(self, usage: Mapping[str, float]) -> None:
        """Count usage without counting a row."""
        for name, amount in usage.items():
            self.usage[name] = self.usage.get(name, 0) + amount


def usage_of(record: Mapping[str, Any]) -> dict[str, float]:
    """The usage of a row."""
    usage = (record["result"] or {}).get("usage") or {}
    return {name: amount for name, amount in usage.items() if isinstance(amount, int | float)}
