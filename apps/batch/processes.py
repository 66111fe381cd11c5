"""The rows of a batch in several processes of this machine.

The engine stays where it is: it takes rows, keeps the account and writes the output. Only the runs are sent away, each
to the process that has the fewest. A process asks for every model call that it is about to make, so all of them have
one budget. The limits on requests are divided among them. The rows of a process that dies run again in its successor.
"""

import asyncio
import itertools
import multiprocessing
import signal
import threading
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from multiprocessing.connection import Connection
from types import TracebackType
from typing import Any

from ...state import Context
from ...state.errors import ConfigurationError, ErrataError
from ...state.runs.cache import Shelf
from .account import Account
from .engine import run_row
from .ledger import Record
from .rows import Row
from .start import graph_of

TRIES = 3
"""How many processes may die of a row before it counts as failed."""
PATIENCE = 5.0
"""Seconds in which a process has to end when its work is done."""


class Gone(Exception):
    """The other process is not there any more."""


class Link:
    """One end of a pipe between two event loops: questions in both directions, answered in any order."""

    def __init__(self, pipe: "Connection[Any, Any]", answer: Callable[[Any], Awaitable[Any]]) -> None:
        self._pipe, self._answer = pipe, answer
        self._loop = asyncio.get_running_loop()
        self._numbers = itertools.count()
        self._asked: dict[int, asyncio.Future[Any]] = {}
        self._answering: set[asyncio.Task[None]] = set()
        self.gone = asyncio.Event()
        # A thread that always reads: two ends that both write, and wait for each other to read, would wait forever.
        threading.Thread(target=self._read, daemon=True).start()

    @property
    def open_questions(self) -> int:
        """How many questions wait for their answers."""
        return len(self._asked)

    async def ask(self, question: Any) -> Any:
        """The other side's answer; raises what it raised, or Gone."""
        if self.gone.is_set():
            raise Gone
        number = next(self._numbers)
        future = self._asked[number] = self._loop.create_future()
        try:
            self._send("question", number, question)
            return await future
        finally:
            del self._asked[number]

    def end(self) -> None:
        """Tell the other side that there is nothing more to do, and take nothing more from it."""
        self._send("end", 0, None)
        self._end()

    def _send(self, *message: Any) -> None:
        with suppress(OSError):  # it is gone, which the thread that reads will notice
            self._pipe.send(message)

    def _read(self) -> None:
        with suppress(RuntimeError):  # the event loop has ended
            with suppress(EOFError, OSError):
                while True:
                    self._loop.call_soon_threadsafe(self._take, *self._pipe.recv())
            self._loop.call_soon_threadsafe(self._end)

    def _take(self, kind: str, number: int, content: Any) -> None:
        if self.gone.is_set():
            return
        if kind == "end":
            self._end()
        elif kind == "question":
            task = self._loop.create_task(self._reply(number, content))
            self._answering.add(task)
            task.add_done_callback(self._answering.discard)
        elif (future := self._asked.get(number)) and not future.done():
            if kind == "error":
                future.set_exception(content)
            else:
                future.set_result(content)

    async def _reply(self, number: int, question: Any) -> None:
        try:
            self._send("answer", number, await self._answer(question))
        except Exception as error:
            self._send("error", number, error)

    def _end(self) -> None:
        self.gone.set()
        for future in self._asked.values():
            if not future.done():
                future.set_exception(Gone())


class Processes:
    """Processes that run the rows of a method; they start with the first row."""

    def __init__(self, method: str, context: Context, replies: Shelf | None, count: int) -> None:
        if count > context.max_concurrency:
            raise ConfigurationError(
                f"{count} processes cannot share {context.max_concurrency} requests: raise `max_concurrency`"
            )
        rate = context.requests_per_second
        shared = {
            "max_concurrency": context.max_concurrency // count,
            "requests_per_second": None if rate is None else rate / count,
        }
        self._work = method, context.model_copy(update=shared), replies
        self._places: list[_Child | None] = [None] * count

    async def __aenter__(self) -> "Processes":
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, where: TracebackType | None
    ) -> None:
        children = list(filter(None, self._places))
        for child in children:
            child.link.end()
        for child in children:
            child.end()

    async def run(self, row: Row, account: Account) -> Record:
        """Run a row as `run_row` does."""
        for _ in range(TRIES):
            with suppress(Gone):
                record: Record = await self._free(account).link.ask(row)
                return record
        error = f"its process ended {TRIES} times before it was done"
        return Record(line=row.line, id=row.id, status="failed", error=error, row=row.fields, result=None)

    def _free(self, account: Account) -> "_Child":
        """The process that has the fewest rows, started if necessary."""
        for place, child in enumerate(self._places):
            if child is None or child.link.gone.is_set():
                self._places[place] = _Child(self._work, account)
        return min(filter(None, self._places), key=lambda child: child.link.open_questions)


class _Child:
    """A process, as seen by the one that started it."""

    def __init__(self, work: tuple[Any, ...], account: Account) -> None:
        self._account = account
        self._calls: set[int] = set()
        """Its model calls in flight."""
        spawn = multiprocessing.get_context("spawn")
        ours, theirs = spawn.Pipe()
        self._process = spawn.Process(target=_run_rows, args=(theirs, *work), daemon=True)
        self._process.start()
        theirs.close()
        self.link = Link(ours, self._keep)
        self._watch = asyncio.get_running_loop().create_task(self._settle())

    async def _keep(self, question: tuple[Any, ...]) -> int | None:
        """Reserve a call of so many tokens, or settle it with its usage."""
        match question:
            case (tokens,):
                call = await self._account.reserve(tokens)
                self._calls.add(call)
                return call
            case (call, usage):
                self._calls.discard(call)
                await self._account.settle(call, usage)
        return None

    async def _settle(self) -> None:
        """When the process has died, count its calls in flight as paid: nobody knows whether they were."""
        await self.link.gone.wait()
        while self._calls:
            await self._account.settle(self._calls.pop(), None)

    def end(self) -> None:
        """Wait until the process has ended, and kill it if it does not."""
        self._watch.cancel()
        self._process.join(PATIENCE)
        self._process.kill()
        self._process.join()


class _Kept:
    """The account, as seen by a process. See `state.runs.spending.Account`."""

    def __init__(self, link: Link) -> None:
        self._link = link

    async def reserve(self, tokens: int) -> int:
        """Ask the engine's process. If the call is cancelled meanwhile, it is given back."""
        asking = asyncio.create_task(self._link.ask((tokens,)))
        try:
            call: int = await asyncio.shield(asking)
        except asyncio.CancelledError:
            with suppress(Gone, ErrataError):
                await self.settle(await asking, {})
            raise
        return call

    async def settle(self, call: int, usage: Mapping[str, float] | None) -> None:
        """Tell the engine's process."""
        await self._link.ask((call, usage))


def _run_rows(pipe: "Connection[Any, Any]", method: str, context: Context, replies: Shelf | None) -> None:
    """Run rows until the engine's process says that it is done, or dies."""
    for number in (signal.SIGINT, signal.SIGTERM):  # they are for the engine, which finishes the rows in progress
        signal.signal(number, signal.SIG_IGN)
    asyncio.run(_answer_rows(pipe, method, context, replies))


async def _answer_rows(pipe: "Connection[Any, Any]", method: str, context: Context, replies: Shelf | None) -> None:
    one = graph_of(method, context)
    link: Link = Link(pipe, lambda row: run_row(row, one, replies, _Kept(link)))
    await link.gone.wait()
