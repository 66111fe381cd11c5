"""The same batch on Ray Data: rows go to actors, which may be on other machines.

Every actor runs its rows on its own event loop and appends each finished row to its own part file beside the output, so
that a paid row is kept, whatever happens to actor or driver. The driver collects the parts into the output: those of an
earlier run before it begins, its own at the end. All machines must see input and output under the same paths. One more
actor keeps the account of all model calls and records them in the journal.
"""

import asyncio
import logging
import os
import time
import uuid
from array import array
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

from ...graphs import load
from ...state import Context
from ...state.errors import ConfigurationError
from ...state.text.segments import counted
from .account import Account, OutOfBudget
from .engine import Batch, Stopped, Summary, Watcher, kept_back, malformed, opened, run_row
from .journal import Journal
from .ledger import Ledger
from .output import Appended, Output
from .progress import SAY_EVERY
from .rows import Line, lines, parse, torn

ROWS_A_CALL = 4
"""How many rows an actor takes at a time, for each row that it runs at once."""


def run_on_ray(batch: Batch, context: Context, watcher: Watcher) -> Summary:
    """Run the unfinished rows on Ray: on a cluster if RAY_ADDRESS names one, otherwise on this machine.

    Args:
        batch: The batch.
        context: The settings of the runs.
        watcher: Is told of progress.

    Raises:
        ConfigurationError: If Ray is not installed, or cannot run the batch; otherwise as `run_batch`.
    """
    # Under `uv run`, Ray would start every worker with its own `uv run`.
    os.environ.setdefault("RAY_ENABLE_UV_RUN_RUNTIME_ENV", "0")
    try:
        import ray
        import ray.data
    except ImportError:
        raise ConfigurationError("--engine ray needs Ray: run `pip install 'errata[ray]'`") from None
    with opened(batch) as (output, ledger, rows, journal):
        begun = time.perf_counter()
        stopped = kept_back(batch, ledger)  # rows in the parts were not looked at for it
        _take_in(batch, output, ledger)
        before = ledger.finished
        watcher.begins(rows, ledger)
        if ledger.finished < rows and not stopped:
            started = not ray.is_initialized()
            try:
                stopped = _run(ray, batch, context, journal, ledger, watcher)
            finally:
                if started:
                    ray.shutdown()
                _take_in(batch, output, ledger)
                ledger.at_least(journal.recounted().total)
                watcher.finished(ledger)
        output.sync()
        journal.sync()
        if batch.ordered and not stopped:
            output.rewrite(ordered=True)
    seconds = time.perf_counter() - begun
    return Summary(rows, ledger, seconds, ledger.finished - before, stopped, batch.skipped, batch.bundled)


def _run(ray: Any, batch: Batch, context: Context, journal: Journal, ledger: Ledger, watcher: Watcher) -> Stopped:
    """Send every unfinished row to an actor, as the place of its line in the input, and wait for all."""
    import numpy
    import pyarrow

    if not ray.is_initialized():
        ray.init(log_to_driver=False, include_dashboard=False, logging_level="ERROR")
    logging.getLogger("ray.data").setLevel(logging.ERROR)
    ray.data.DataContext.get_current().enable_progress_bars = False
    actors = max(int(ray.cluster_resources().get("CPU", 1)), 1)
    size = batch.workers * ROWS_A_CALL
    numbers, offsets = array("q"), array("q")
    for number, offset in _places(batch, ledger):
        numbers.append(number)
        offsets.append(offset)
    table = pyarrow.table({"line": numpy.asarray(numbers), "offset": numpy.asarray(offsets)})
    # Cut here: Ray's own repartition would wait for a processor that the actors hold.
    blocks = [table.slice(start, size) for start in range(0, len(table), size)]
    pool = ray.data.ActorPoolStrategy(size=min(actors, len(blocks)))
    rows = ray.data.from_arrow(blocks)
    finished, last_message = ledger.finished, time.monotonic()
    # It needs no processor of its own, which the pool would wait for.
    keeper = ray.remote(num_cpus=0)(Keeper).remote(journal.path, replace(journal.account, note=_nowhere))
    work = rows.map_batches(Actor, fn_constructor_args=(batch, context, keeper), batch_size=size, compute=pool)
    for part in work.iter_batches(batch_size=None):
        finished += len(part["line"])
        if time.monotonic() - last_message >= SAY_EVERY:
            last_message = time.monotonic()
            watcher.says(f"{counted(finished, 'row')} finished")
    return "budget" if ray.get(keeper.refused.remote()) else ""


def _nowhere(event: Mapping[str, Any]) -> None:
    """What an account is sent with, because a file cannot be sent."""


class Keeper:
    """Keeps the account for all actors, in one of Ray's processes."""

    def __init__(self, journal: Path, account: Account) -> None:
        self.account = replace(account, note=Appended(journal).append)

    async def reserve(self, tokens: int) -> int:
        """See `state.runs.spending.Account`."""
        return await self.account.reserve(tokens)

    async def settle(self, call: int, usage: Mapping[str, float] | None) -> None:
        """See `state.runs.spending.Account`."""
        await self.account.settle(call, usage)

    async def refused(self) -> bool:
        """Whether the budget had no room for a call."""
        return self.account.refused


class Kept:
    """The account as seen by an actor. See `state.runs.spending.Account`."""

    def __init__(self, keeper: Any) -> None:
        self.keeper = keeper

    async def reserve(self, tokens: int) -> int:
        """Ask the keeper's process."""
        call: int = await self.keeper.reserve.remote(tokens)
        return call

    async def settle(self, call: int, usage: Mapping[str, float] | None) -> None:
        """Tell the keeper's process."""
        await self.keeper.settle.remote(call, usage)


class Actor:
    """Runs rows in one of Ray's processes."""

    def __init__(self, batch: Batch, context: Context, keeper: Any) -> None:
        graph = load(batch.method)
        self.batch = batch
        self.account = Kept(keeper)
        self.spent = False
        self.one = lambda given: graph.ainvoke(given, context=context)
        self.loop = asyncio.Runner()
        self.part = Output(_part(batch, f"{os.getpid()}-{uuid.uuid4().hex[:8]}"))

    def __call__(self, places: dict[str, Any]) -> dict[str, Any]:
        """Run the rows at the `line` numbers and byte `offset`s of a block; returns the line numbers."""
        lines_and_offsets = zip(places["line"].tolist(), places["offset"].tolist(), strict=True)
        self.loop.run(self._all(list(lines_and_offsets)))
        return {"line": places["line"]}

    async def _all(self, places: Sequence[tuple[int, int]]) -> None:
        waiting = iter(places)
        await asyncio.gather(*(self._work(waiting) for _ in range(self.batch.workers)))
        await self.part.settle()

    async def _work(self, waiting: Iterator[tuple[int, int]]) -> None:
        for number, offset in waiting:
            if self.spent:
                return
            line = _line(self.batch.source, number, offset)
            row = parse(line, self.batch.schema)
            if torn(row, line):
                continue
            if row.wrong:
                self.part.add(malformed(row, line))
                continue
            try:
                self.part.add(await run_row(row, self.one, self.batch.replies, self.account))
            except OutOfBudget:
                self.spent = True


def _places(batch: Batch, ledger: Ledger) -> Iterator[tuple[int, int]]:
    """The number and offset of each unfinished line."""
    with batch.source.open("rb") as file:
        for line in lines(file):
            if not ledger.knows(line.number):
                yield line.number, line.offset


def _line(source: Path, number: int, offset: int) -> Line:
    with source.open("rb") as file:
        file.seek(offset)
        return next(lines(file, number - 1))._replace(offset=offset)


def _part(batch: Batch, name: str) -> Path:
    return batch.output.with_name(f"{batch.output.name}.part-{name}")


def _take_in(batch: Batch, output: Output, ledger: Ledger) -> None:
    """Add what actors have finished to the output, each row once, and delete the parts."""
    for path in sorted(batch.output.parent.glob(f"{batch.output.name}.part-*")):
        with closing(Output(path)) as part:
            for record in part.records():
                if not ledger.knows(record["line"]):
                    output.add(record)
                    ledger.add(record)
        output.sync()
        path.unlink()
