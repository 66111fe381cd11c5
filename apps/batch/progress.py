"""The progress of a batch for people: a bar on a terminal, otherwise a line now and then."""

import time
from collections.abc import Mapping
from types import TracebackType
from typing import get_args

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn
from rich.text import Text

from ...state import Status
from ...state.text.segments import counted
from ..progress import skipped
from .engine import Summary
from .ledger import Ledger

SAY_EVERY = 10.0
"""Seconds between lines without a terminal."""
KINDS = 5
"""How many kinds of errors are listed at the end."""


class BatchProgress:
    """Watches a batch."""

    def __init__(self, console: Console) -> None:
        self.console = console
        self.rows = 0
        self.before = 0
        self.begun = self.said = time.monotonic()
        columns = (BarColumn(), MofNCompleteColumn(), TextColumn("{task.description}"), TimeElapsedColumn())
        self.bar = Progress(*columns, TimeRemainingColumn(), console=console, transient=True, refresh_per_second=4)
        self.task = self.bar.add_task("", total=None)

    def __enter__(self) -> "BatchProgress":
        if self.console.is_terminal:
            self.bar.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, where: TracebackType | None
    ) -> None:
        if self.console.is_terminal:
            self.bar.stop()

    def begins(self, rows: int, ledger: Ledger) -> None:
        """Start the bar and the clock; says how many rows an earlier run finished."""
        self.rows, self.before = rows, ledger.finished
        self.begun = self.said = time.monotonic()
        if ledger.finished:
            self.says(f"continuing: {ledger.finished:,} of {counted(rows, 'row')} finished")
        self.bar.update(self.task, total=rows, completed=ledger.finished)

    def finished(self, ledger: Ledger) -> None:
        """Move the bar; without a terminal, print a line at most every SAY_EVERY seconds."""
        if self.console.is_terminal:
            if not self.bar.finished or ledger.finished == self.rows:
                self.bar.update(self.task, completed=ledger.finished, description=self._line(ledger))
        elif time.monotonic() - self.said >= SAY_EVERY:
            self.said = time.monotonic()
            self.says(f"{ledger.finished:,} of {counted(self.rows, 'row')} · {self._line(ledger)}")

    def says(self, message: str) -> None:
        """Print a line."""
        self.console.print(message, highlight=False, markup=False, soft_wrap=True)

    def _line(self, ledger: Ledger) -> str:
        seconds = max(time.monotonic() - self.begun, 1e-3)
        return " · ".join([f"{(ledger.finished - self.before) / seconds:,.1f} rows/s", *spent(ledger), *faults(ledger)])


def show(console: Console, summary: Summary, again: str) -> None:
    """Show how a batch ended.

    Args:
        console: Where to print.
        summary: How the batch ended.
        again: What to do about rows that are not done.
    """
    ledger = summary.ledger
    for line in skipped(summary.skipped):
        console.print(Text(line, style="yellow"), soft_wrap=True)
    console.print(Text(ended(summary)), soft_wrap=True)
    most = sorted(ledger.errors.items(), key=lambda error: -error[1])
    for error, count in most[:KINDS]:
        where = f"line {ledger.first_lines[error]:,}" if count == 1 else f"first in line {ledger.first_lines[error]:,}"
        console.print(Text(f"  {count:,} × {error} ({where})", style="yellow"), soft_wrap=True)
    if len(most) > KINDS:
        more = counted(len(most) - KINDS, "more kind")
        console.print(Text(f"  and {more} of errors; each row has its own in the output", style="yellow"))
    if again:
        console.print(Text(again), soft_wrap=True)


def ended(summary: Summary) -> str:
    """How a batch ended, in a line."""
    ledger = summary.ledger
    parts = [f"{counted(summary.rows, 'row')}: {ledger.counts['done']:,} done{statuses(ledger)}", *faults(ledger)]
    if summary.left:
        parts.append(f"{summary.left:,} left" + ("" if summary.stopped else ", whose line is cut off"))
    parts += [*spent(ledger), f"{summary.seconds:,.1f} s"]
    if summary.new and summary.seconds:
        parts.append(f"{summary.new / summary.seconds:,.1f} rows/s")
    return " · ".join(parts)


def statuses(ledger: Ledger) -> str:
    """How many rows that are done have which status, in brackets."""
    found = ledger.statuses
    listed = ", ".join(f"{found[status]:,} {status}" for status in get_args(Status) if found[status])
    return f" ({listed})" if listed else ""


def spent(ledger: Ledger) -> list[str]:
    """What was used so far, in words."""
    usage: Mapping[str, float] = ledger.usage
    parts = [counted(usage["llm_calls"], "model call")]
    if tokens := usage["input_tokens"] + usage["output_tokens"]:
        parts.append(counted(tokens, "token"))
    return parts + ([f"${usage['cost']:,.4f}"] if "cost" in usage else [])


def faults(ledger: Ledger) -> list[str]:
    """How many rows failed or are unchecked."""
    return [f"{number:,} {status}" for status, number in ledger.counts.items() if number and status != "done"]
