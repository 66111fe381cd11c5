"""The rows of a batch in several processes, on this machine or a cluster: Ray's actors.

The engine stays where it is: it takes rows, keeps the account and writes the output. Only the runs are sent away, each
to the actor that has the fewest. An actor asks for every model call that it is about to make, so all of them have one
budget. The limits on requests are divided among them. Ray starts an actor that died again, and its rows with it.
"""

import asyncio
import itertools
import os
import re
import socket
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from typing import Any

from ...state import Context
from ...state.errors import ConfigurationError, ErrataError
from ...state.runs.cache import Shelf
from .account import Account
from .engine import Batch, graph_of, run_row
from .garbage import collect_seldom
from .ledger import Record
from .rows import Row

TRIES = 3
"""How many actors may die of a row before it fails."""
CONNECT_SECONDS = 5.0
RESTART_SECONDS = 120.0
"""How long a row waits for an actor that died to be back. Until then Ray refuses what it is sent, which is no death."""
MOST_CALLS = 100_000
"""How many questions of actors may wait for their answers at the same time."""


def connect(address: str) -> Any:
    """Ray, started on this machine, or joined.

    Args:
        address: A cluster's address; empty for the one that RAY_ADDRESS names or that runs here, or else a new one.

    Raises:
        ConfigurationError: If Ray is not installed, or no cluster answers.
    """
    # Under `uv run`, Ray would start every worker with its own `uv run`.
    os.environ.setdefault("RAY_ENABLE_UV_RUN_RUNTIME_ENV", "0")
    try:
        import ray
    except ImportError:
        raise ConfigurationError("--ray needs Ray: run `pip install 'langgraph-errata[ray]'`") from None
    if not ray.is_initialized():
        named = address or os.environ.get("RAY_ADDRESS", "")
        own = {} if named else {"include_dashboard": False}
        try:
            if place := re.fullmatch(r"(?:ray://)?\[?(.+?)\]?:(\d+)", named):  # Ray itself would try for minutes
                socket.create_connection((place[1], int(place[2])), CONNECT_SECONDS).close()
            ray.init(address=address or None, log_to_driver=False, logging_level="ERROR", **own)
        except Exception as error:  # of as many kinds as there are ways to reach a cluster
            reason = " ".join(str(error).split())[:200]
            raise ConfigurationError(f"no Ray cluster at {named or 'this machine'} ({reason})") from None
    return ray


class Actors:
    """Processes that run the rows of a batch.

    Args:
        ray: The library, connected.
        batch: The batch.
        context: The settings of the runs.
    """

    def __init__(self, ray: Any, batch: Batch, context: Context) -> None:
        processors = int(ray.cluster_resources().get("CPU", 1))
        count = max(min(processors, batch.workers, context.max_concurrency), 1)
        work = batch.method, shared(context, count), batch.replies
        actor = ray.remote(num_cpus=0, max_restarts=-1, max_concurrency=batch.workers)(Actor)
        self._ray, self._died = ray, ray.exceptions.RayActorError
        self._keeper = ray.remote(num_cpus=0, max_concurrency=MOST_CALLS)(Keeper).remote()
        self._actors = [actor.remote(*work, self._keeper) for _ in range(count)]
        self._rows = [0] * count
        self._calls: dict[int, set[int]] = {}
        """The model calls in flight, by the line of their row."""
        self._answering: asyncio.Task[None] | None = None

    async def run(self, row: Row, account: Account) -> Record:
        """Run a row as `run_row` does."""
        if not self._answering:
            self._answering = asyncio.create_task(self._answer(account))
        for _ in range(TRIES):
            place = min(range(len(self._rows)), key=self._rows.__getitem__)
            self._rows[place] += 1
            try:
                record: Record = await self._actors[place].run.remote(replace(row, fields=None))
                record["row"] = row.fields
                return record
            except self._died:
                await self._restarted(place)
            finally:
                self._rows[place] -= 1
                for call in self._calls.pop(row.line, set()):  # of a process that died: was it paid? nobody knows
                    with suppress(ErrataError):  # without a note in the journal it counts as paid, too
                        await account.settle(call, None)
        error = f"its process ended {TRIES} times before it was done"
        return Record(line=row.line, id=row.id, status="failed", error=error, row=row.fields, result=None)

    async def _restarted(self, place: int) -> None:
        """Wait until an actor answers again, or too long."""
        with suppress(TimeoutError):
            async with asyncio.timeout(RESTART_SECONDS):
                while True:
                    with suppress(self._died):
                        await self._actors[place].ready.remote()
                        return
                    await asyncio.sleep(0.5)

    async def _answer(self, account: Account) -> None:
        """Reserve and settle the calls that the actors ask about, until the batch ends."""
        while True:
            for number, line, *question in await self._keeper.questions.remote():
                answer: Any = None
                try:
                    if len(question) == 1:
                        answer = await account.reserve(*question)
                        self._calls.setdefault(line, set()).add(answer)
                    else:
                        self._calls.get(line, set()).discard(question[0])
                        await account.settle(*question)
                except ErrataError as error:
                    answer = error
                self._keeper.answer.remote(number, answer)

    def close(self) -> None:
        """End all processes. A call in flight stays reserved, and so paid."""
        if self._answering:
            self._answering.cancel()
        for actor in (*self._actors, self._keeper):
            self._ray.kill(actor)


def shared(context: Context, count: int) -> Context:
    """The settings of each of several processes, which together keep to the limits of all."""
    rate = context.requests_per_second
    limits = {
        "max_concurrency": context.max_concurrency // count,
        "requests_per_second": None if rate is None else rate / count,
    }
    return context.model_copy(update=limits)


class Keeper:
    """Passes the questions of actors on to the engine, in a process of its own: an actor cannot call the engine."""

    def __init__(self) -> None:
        self._asked: asyncio.Queue[tuple[Any, ...]] = asyncio.Queue()
        self._answers: dict[int, asyncio.Future[Any]] = {}
        self._numbers = itertools.count()

    async def ask(self, *question: Any) -> Any:
        """The engine's answer to an actor; raises what the engine raised."""
        number = next(self._numbers)
        answer = self._answers[number] = asyncio.get_running_loop().create_future()
        self._asked.put_nowait((number, *question))
        try:
            return await answer
        finally:
            del self._answers[number]

    async def questions(self) -> list[tuple[Any, ...]]:
        """The questions that wait for the engine: at least one."""
        waiting = [await self._asked.get()]
        while not self._asked.empty():
            waiting.append(self._asked.get_nowait())
        return waiting

    async def answer(self, number: int, answer: Any) -> None:
        """Take the engine's answer to a question."""
        future = self._answers.get(number)
        if future and not future.done():
            if isinstance(answer, Exception):
                future.set_exception(answer)
            else:
                future.set_result(answer)


class RowAccount:
    """The account as seen by the run of a row in an actor. See `state.runs.spending.Account`."""

    def __init__(self, keeper: Any, line: int) -> None:
        self._keeper, self._line = keeper, line

    async def reserve(self, tokens: int) -> int:
        """Ask the engine. If the call is cancelled meanwhile, it is given back."""
        asking = asyncio.ensure_future(self._keeper.ask.remote(self._line, tokens))
        try:
            call: int = await asyncio.shield(asking)
        except asyncio.CancelledError:
            await self.settle(await asking, {})
            raise
        return call

    async def settle(self, call: int, usage: Mapping[str, float] | None) -> None:
        """Tell the engine."""
        await self._keeper.ask.remote(self._line, call, usage)


class Actor:
    """Runs rows in one of Ray's processes."""

    def __init__(self, method: str, context: Context, replies: Shelf | None, keeper: Any) -> None:
        self._graph, self._replies, self._keeper = graph_of(method, context), replies, keeper
        collect_seldom()

    async def ready(self) -> None:
        """Answer once the process is up."""

    async def run(self, row: Row) -> Record:
        """Run a row. Raises as `run_row`."""
        return await run_row(row, self._graph, self._replies, RowAccount(self._keeper, row.line))
