"""Many rows at once on one event loop, within limits on concurrency, calls and cost."""

import asyncio
import signal
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, closing, contextmanager, suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Literal, Protocol

from ...state.errors import ConfigurationError, ErrataError, absent
from ...state.runs.cache import Shelf
from ...state.runs.spending import Account as Spender
from ...state.runs.spending import Spending, spending_from
from ...state.text.segments import counted
from ...tools.reading.folder import Skipped
from .account import Account, OutOfBudget
from .garbage import seldom_collected
from .journal import Journal
from .ledger import RETRIED, Ledger, Record
from .output import DiskError, Output, check_output
from .rows import Line, Row, Schema, lines, parse, quoted, shortened, torn

POLL = 0.02
"""In seconds."""
LONGEST_REASON = 1_000
"""How many characters of an error its record keeps."""

RunOne = Callable[[dict[str, Any]], Awaitable[Mapping[str, Any]]]
"""Runs one input and returns its result, as a compiled graph does."""
RunRow = Callable[[Row, Account], Awaitable[Record]]
"""Runs one row and returns its record; its model calls go through the account."""

Stopped = Literal["", "budget", "failures", "interrupted"]
"""Why a batch ended before its rows did."""


@dataclass(frozen=True)
class Batch:
    """A batch: what is run, over which rows, and how."""

    source: Path
    output: Path
    method: str
    settings: Mapping[str, Any]
    """The settings of the method; an output is continued only with the same ones."""
    schema: Schema
    """The fields of its rows."""
    workers: int = 16
    """How many rows run at once."""
    processes: int = 1
    """In how many processes of this machine they run."""
    max_calls: float | None = None
    """The most model calls over all rows, including those of earlier runs."""
    max_cost: float | None = None
    """The most US dollars, likewise."""
    max_failures: int = 100
    """Stop when this many rows in a row failed: then the rows are not the problem."""
    retry_failed: bool = False
    ordered: bool = False
    """Leave the output in the order of the input once all rows are finished."""
    replies: Shelf | None = None
    """Where model replies are stored, so that a row that runs again pays for none of them twice."""
    skipped: Sequence[Skipped] = ()
    """The documents that the search could not read."""
    bundled: bool = False
    """Whether nothing but the articles that ship with errata is searched."""


class Watcher(Protocol):
    """Is told of the progress of a batch."""

    def begins(self, rows: int, ledger: Ledger) -> None:
        """Called once, before the first row: `rows` is the length of the input."""

    def finished(self, ledger: Ledger) -> None:
        """Called when one or more rows have finished."""

    def says(self, message: str) -> None:
        """Called with a line for the person."""


@dataclass
class Summary:
    """How a batch ended."""

    rows: int
    """The number of rows in the input."""
    ledger: Ledger
    seconds: float
    """The seconds of this run."""
    new: int
    """The number of rows finished in this run."""
    stopped: Stopped = ""
    skipped: Sequence[Skipped] = ()
    """The documents that no row was compared with, because they could not be read."""
    bundled: bool = False
    """Whether nothing but the articles that ship with errata was searched."""

    @property
    def left(self) -> int:
        """The number of rows that are not finished."""
        return self.rows - self.ledger.finished

    @property
    def failed(self) -> int:
        """The number of rows that may succeed another time."""
        return sum(self.ledger.counts[status] for status in RETRIED)

    def as_json(self) -> dict[str, Any]:
        """The summary for machines."""
        ledger = self.ledger
        return {
            "rows": self.rows,
            **{str(status): number for status, number in ledger.counts.items()},
            "statuses": dict(ledger.statuses),
            "left": self.left,
            "new": self.new,
            "stopped": self.stopped,
            "seconds": round(self.seconds, 3),
            "usage": ledger.usage,
            "skipped": [asdict(document) for document in self.skipped],
        }

    @property
    def complete(self) -> bool:
        """Whether every row has a checked result."""
        return self.ledger.counts["done"] == self.rows


async def run_batch(batch: Batch, run_one: RunOne, watcher: Watcher) -> Summary:
    """Run the rows that are not finished yet in this process. Raises as `run_rows`."""
    return await run_rows(batch, lambda row, account: run_row(row, run_one, batch.replies, account), watcher)


async def run_rows(batch: Batch, run_one_row: RunRow, watcher: Watcher) -> Summary:
    """Run the rows that are not finished yet.

    Raises:
        ConfigurationError: If the output belongs to another batch, or was not written by errata.
        DiskError: If it cannot be written. Finished rows stay in it, and the same call continues.
    """
    with opened(batch) as (output, ledger, rows, journal), seldom_collected():
        begun, finished_before = time.perf_counter(), ledger.finished
        watcher.begins(rows, ledger)
        engine = _Engine(batch, run_one_row, watcher, output, ledger, journal, kept_back(batch, ledger))
        stopped = await engine.run()
        output.sync()
        journal.sync()
        ledger.at_least(journal.account.total)
        if batch.ordered and not stopped:
            output.rewrite(ordered=True)
    seconds = time.perf_counter() - begun
    return Summary(rows, ledger, seconds, ledger.finished - finished_before, stopped, batch.skipped, batch.bundled)


@contextmanager
def opened(batch: Batch) -> Iterator[tuple[Output, Ledger, int, Journal]]:
    """The output of a batch, its finished rows, the number of rows in the input, and the journal; locked meanwhile."""
    check_paths(batch)
    with closing(Journal(batch.output)) as journal:
        rows = journal.begin(batch.method, batch.settings, batch.source).rows
        with closing(Output(batch.output)) as output:
            ledger = _counted(output, journal)
            if batch.retry_failed and _has_failed(ledger) and affordable(batch, ledger):
                _drop_failed(output, journal)
                ledger = _counted(output, journal)
            journal.account.budgets = {"llm_calls": batch.max_calls, "cost": batch.max_cost}
            into, out_of = batch.settings.get("input_price"), batch.settings.get("output_price")
            journal.account.prices = None if into is None or out_of is None else (into, out_of)
            yield output, ledger, rows, journal


def _counted(output: Output, journal: Journal) -> Ledger:
    """The finished rows, with all that was spent."""
    ledger = Ledger()
    for record in output.records():
        ledger.add(record)
    dropping = journal.dropping()
    if dropping and not _has_failed(ledger):  # a kill came after their records were removed, and before it was noted
        journal.note(dropped=dropping)
    for usage in journal.carried():
        ledger.spend(usage)
    ledger.at_least(journal.account.total)
    return ledger


def _drop_failed(output: Output, journal: Journal) -> None:
    """Remove failed rows from the output. Their usage is noted, so that it counts for the budget.

    It is noted before, in case of a kill, and counts only when their records are gone, which may fail.
    """
    dropped = Ledger()
    for record in output.records():
        if record["status"] in RETRIED:
            dropped.add(record)
    journal.note(dropping=dropped.usage)
    output.rewrite(lambda record: record["status"] not in RETRIED)
    journal.note(dropped=dropped.usage)


def _has_failed(ledger: Ledger) -> bool:
    return any(ledger.counts[status] for status in RETRIED)


def kept_back(batch: Batch, ledger: Ledger) -> Stopped:
    """Why no row runs at all: failed rows were left as they are, because the budget has no room for one."""
    return "budget" if batch.retry_failed and _has_failed(ledger) else ""


def affordable(batch: Batch, ledger: Ledger, running: int = 0) -> bool:
    """Whether another row fits if it and the running rows use as much as the costliest row so far.

    What a row uses is unknown beforehand. Until one is finished, only one runs.
    """
    for name, budget in {"llm_calls": batch.max_calls, "cost": batch.max_cost}.items():
        if budget is None:
            continue
        used, most = ledger.usage.get(name, 0), ledger.most.get(name)
        if used >= budget or (most is None and running) or used + (running + 1) * (most or 0) > budget:
            return False
    return True


@dataclass
class _Engine:
    batch: Batch
    one: RunRow
    watcher: Watcher
    output: Output
    ledger: Ledger
    journal: Journal
    stopped: Stopped = ""
    running: int = 0
    failures: int = 0
    """How many rows in a row have failed."""
    moved: asyncio.Condition = field(default_factory=asyncio.Condition)
    """Called whenever a row is finished."""

    async def run(self) -> Stopped:
        waiting = self._unfinished()
        try:
            async with _signals(self._interrupted), asyncio.TaskGroup() as group:
                for _ in range(self.batch.workers):
                    group.create_task(self._work(waiting))
        except ExceptionGroup as errors:
            raise errors.exceptions[0] from None
        except asyncio.CancelledError:
            task = asyncio.current_task()
            if self.stopped != "interrupted" or not task:
                raise
            task.uncancel()
            return self.stopped
        # for rows that the budget ended: what is paid for is kept
        while self.journal.account.under_way:  # noqa: ASYNC110
            await asyncio.sleep(POLL)
        return self.stopped

    def _unfinished(self) -> Iterator[Line]:
        with self.batch.source.open("rb") as file:
            yield from (line for line in lines(file) if not self.ledger.knows(line.number))

    async def _work(self, waiting: Iterator[Line]) -> None:
        """Take one row after another."""
        while not self.stopped and (line := next(waiting, None)):
            row = parse(line, self.batch.schema)
            if torn(row, line):
                continue
            if row.wrong:
                await self._keep(malformed(row, line))
                continue
            if not await self._may_start():
                return
            if not (record := await self._run_row(row)):
                return
            await self._keep(record)

    async def _run_row(self, row: Row) -> Record | None:
        """Run a row. None if the budget ended it: its replies so far are kept, for a larger budget."""
        try:
            return await self.one(row, self.journal.account)
        except OutOfBudget:
            self.stopped = self.stopped or "budget"
            async with self.moved:
                self.moved.notify_all()
            return None
        finally:
            self.running -= 1

    async def _may_start(self) -> bool:
        """Wait until the budget has room for another row; False if it will never have."""
        async with self.moved:
            while not self.stopped:
                if affordable(self.batch, self.ledger, self.running):
                    self.running += 1
                    return True
                if not self.running:
                    self.stopped = "budget"
                    break
                await self.moved.wait()
            self.moved.notify_all()
            return False

    async def _keep(self, record: Record) -> None:
        self.output.add(record)
        self.ledger.add(record)
        if record["status"] != "malformed":
            self.failures = 0 if record["status"] == "done" else self.failures + 1
        if self.failures >= self.batch.max_failures:
            self.stopped = self.stopped or "failures"
        self.watcher.finished(self.ledger)
        await self.output.settle()
        await self.journal.settle()
        async with self.moved:
            self.moved.notify_all()
        await asyncio.sleep(0)  # rows that wait for nothing would keep everything else from running

    def _interrupted(self) -> None:
        if self.stopped == "interrupted":
            raise KeyboardInterrupt
        self.stopped = "interrupted"
        if self.running:
            self.watcher.says(f"finishing {counted(self.running, 'row')} in progress; press again to drop the rest")


async def run_row(row: Row, run_one: RunOne, replies: Shelf | None, account: Spender) -> Record:
    """Run a row. An error is part of its record.

    Raises:
        OutOfBudget: If the budget was not enough for it.
        DiskError: If one of its calls cannot be recorded.
    """
    error, result = "", None
    try:
        with spending_from(Spending(account, replies, str(row.line))):
            result = dict(await run_one(row.given))
    except (OutOfBudget, DiskError):
        raise
    except Exception as raised:
        reason = shortened(" ".join(str(raised).split()), LONGEST_REASON)
        is_ours = isinstance(raised, ErrataError) and reason  # our messages say what to do, whatever the class
        error = reason if is_ours else f"{type(raised).__name__}: {reason}".removesuffix(": ")
    unchecked = result is not None and result.get("stopped") == "error"
    if result is not None and unchecked:
        error = str(result.get("reason") or "some of it is unchecked")
    status: Any = "failed" if result is None else "unchecked" if unchecked else "done"
    return Record(line=row.line, id=row.id, status=status, error=error, row=row.fields, result=result)


def malformed(row: Row, line: Line) -> Record:
    """The record of a row that cannot be run."""
    error = row.wrong if row.fields is not None else f"{row.wrong}; it begins: {quoted(line.content)}"
    return Record(line=row.line, id=row.id, status="malformed", error=error, row=row.fields, result=None)


def check_paths(batch: Batch) -> None:
    """Check the input and the output. Raises ConfigurationError if they cannot be used or are one file."""
    if str(batch.source) == "-":
        raise ConfigurationError("a batch that can be continued reads no standard input: save the rows in a file")
    if not batch.source.is_file():
        raise ConfigurationError(absent(batch.source))
    check_output(batch.output)
    if batch.output.exists() and batch.output.samefile(batch.source):
        raise ConfigurationError(f"{batch.output} is the input: name another output")


@asynccontextmanager
async def _signals(interrupted: Callable[[], None]) -> AsyncIterator[None]:
    """Stop taking rows on Ctrl-C or SIGTERM; a second one ends the batch at once."""
    loop, signals = asyncio.get_running_loop(), (signal.SIGINT, signal.SIGTERM)
    main = asyncio.current_task()

    def on_signal() -> None:
        try:
            interrupted()
        except KeyboardInterrupt:
            if main:
                main.cancel()

    with suppress(ValueError, RuntimeError, NotImplementedError):  # not in the main thread
        for number in signals:
            loop.add_signal_handler(number, on_signal)
    try:
        yield
    finally:
        with suppress(ValueError, RuntimeError, NotImplementedError):
            for number in signals:
                loop.remove_signal_handler(number)
