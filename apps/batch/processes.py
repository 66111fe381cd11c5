"""The rows of a batch in several processes of this machine.

The engine stays where it is: it takes rows, keeps the account and writes the output. Only the runs are sent away, each
to the process that has the fewest. A process asks for every model call that it is about to make, so all of them have
one budget. The limits on requests are divided among them. The rows of a process that dies run again in its successor.
"""

import asyncio
import itertools
import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from dataclasses import replace
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from typing import Any

from ...state import Context
from ...state.errors import ConfigurationError, ErrataError, naming
from ...state.runs.cache import Shelf
from .account import Account
from .engine import run_row
from .garbage import seldom_collected
from .ledger import Record
from .rows import Row
from .start import graph_of

TRIES = 3
"""How many processes may die of a row before it fails, and how many at their start before the batch stops."""
PATIENCE = 5.0
"""Seconds in which the processes have to end when their work is done."""
_MAIN = f"import sys, json; sys.path[:] = json.loads(sys.argv[1]); from {__name__} import main; main(int(sys.argv[2]))"

Work = tuple[str, Context, Shelf | None]
"""What a process needs to run rows: a method, its settings, and where replies are stored."""


class Gone(Exception):
    """The other process is not there any more."""


class Link:
    """One end of a pipe between two event loops: questions in both directions, answered in any order.

    Attributes:
        gone: Set when the other side has ended.
        why: Why it has, if it said so.

    Args:
        pipe: This end.
        answer: Answers the other side's questions.
        lost: Is called in a thread, at once, if the other side dies.
    """

    def __init__(
        self,
        pipe: "Connection[Any, Any]",
        answer: Callable[[Any], Awaitable[Any]],
        lost: Callable[[], None] = lambda: None,
    ) -> None:
        self._pipe, self._answer, self._lost = pipe, answer, lost
        self._loop = asyncio.get_running_loop()
        self._numbers = itertools.count()
        self._asked: dict[int, asyncio.Future[Any]] = {}
        self._answering: set[asyncio.Task[None]] = set()
        self.gone, self.why = asyncio.Event(), ""
        # A thread that always reads: two ends that both write, and wait for each other to read, would wait forever.
        threading.Thread(target=self._read, daemon=True).start()

    @property
    def open_questions(self) -> int:
        """How many questions wait for their answers."""
        return len(self._asked)

    async def ask(self, question: Any) -> Any:
        """The other side's answer; raises the ErrataError that it raised, or Gone."""
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
        self._send("end", 0, "")
        self._end()

    def _send(self, *message: Any) -> None:
        with suppress(OSError):  # it is gone, which the thread that reads will notice
            self._pipe.send(message)

    def _read(self) -> None:
        with suppress(RuntimeError):  # the event loop has ended
            try:
                while True:
                    self._loop.call_soon_threadsafe(self._take, *self._pipe.recv())
            except Exception:  # it is gone, or says what cannot be unpickled, which may raise anything
                self._lost()
                with suppress(OSError):  # it was closed already
                    self._pipe.close()
                self._loop.call_soon_threadsafe(self._end)

    def _take(self, kind: str, number: int, content: Any) -> None:
        if self.gone.is_set():
            return
        if kind == "end":
            self.why = content
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
        except ErrataError as error:
            self._send("error", number, error)
        except Exception as error:  # which the other side might not be able to read
            self._send("error", number, ErrataError(_told(error)))

    def _end(self) -> None:
        self.gone.set()
        for future in self._asked.values():
            if not future.done():
                future.set_exception(Gone())


class Processes:
    """Processes that run the rows of a method; they start when there are rows for them.

    Args:
        method: The method.
        context: The settings of the runs.
        replies: Where replies are stored.
        count: How many there are.
        says: Is told when they start, which takes seconds.

    Raises:
        ConfigurationError: If they cannot share what the settings allow.
    """

    def __init__(
        self,
        method: str,
        context: Context,
        replies: Shelf | None,
        count: int,
        says: Callable[[str], None] = lambda message: None,
    ) -> None:
        self._work, self._says = (method, share(context, count), replies), says
        self._children: list[_Child | None] = [None] * count

    async def __aenter__(self) -> "Processes":
        return self

    async def __aexit__(self, *_: object) -> None:
        children = list(filter(None, self._children))
        try:
            for child in children:
                child.end()
            until = time.monotonic() + PATIENCE
            for child in children:
                child.wait(until - time.monotonic())
        finally:  # also after one more Ctrl-C
            for child in children:
                child.kill()

    async def run(self, row: Row, account: Account) -> Record:
        """Run a row as `run_row` does.

        Raises:
            ErrataError: As `run_row`, or if no process can be started.
        """
        deaths = 0
        while deaths < TRIES:
            child = self._least_busy(account)
            with suppress(Gone):
                record: Record = await child.link.ask(replace(row, fields=None))
                record["row"] = row.fields
                return record
            deaths += child.began
        error = f"its process ended {TRIES} times before it was done"
        return Record(line=row.line, id=row.id, status="failed", error=error, row=row.fields, result=None)

    def _least_busy(self, account: Account) -> "_Child":
        """The process that has the fewest rows, started if necessary."""
        place, child = min(enumerate(self._children), key=lambda placed: placed[1].rows if placed[1] else 0)
        if child is None:
            if not any(self._children):
                self._says(f"starting {len(self._children)} processes, which takes a second or two")
            child = self._children[place] = _Child(self._work, account)
        elif child.link.gone.is_set():
            child = self._children[place] = child.successor()
        return child


def share(context: Context, count: int) -> Context:
    """The settings of each of several processes, which together keep to the limits of all.

    Raises:
        ConfigurationError: If the limits cannot be divided among so many.
    """
    if count > context.max_concurrency:
        raise ConfigurationError(
            f"{count} processes cannot share {context.max_concurrency} requests: raise `max_concurrency`"
        )
    if context.toxicity == "perspective":
        raise ConfigurationError("Perspective takes one request a second from all processes: leave --processes out")
    rate = context.requests_per_second
    limits = {
        "max_concurrency": context.max_concurrency // count,
        "requests_per_second": None if rate is None else rate / count,
    }
    return context.model_copy(update=limits)


class _Child:
    """A process that runs rows, as seen by the one that started it.

    Args:
        work: Its work.
        account: Pays for its model calls.
        deaths: How many before it, one after the other, died at their start.
    """

    def __init__(self, work: Work, account: Account, deaths: int = 0) -> None:
        self._work, self._account, self._deaths = work, account, deaths
        self._calls: set[int] = set()
        """Its model calls in flight."""
        self.began = False
        with naming("a process for the rows did not start", ErrataError):
            ours, theirs = Pipe()
            with theirs:
                self._process = subprocess.Popen(
                    [sys.executable, "-P", "-c", _MAIN, json.dumps(sys.path), str(theirs.fileno())],
                    stdin=subprocess.DEVNULL,
                    pass_fds=[theirs.fileno()],
                    process_group=0,  # Ctrl-C in a terminal is meant for the engine, which finishes rows in progress
                )
        self.link = Link(ours, self._answer)
        self._settling = asyncio.create_task(self._settle())

    @property
    def rows(self) -> int:
        """How many rows it has; none if it has died."""
        return self.link.open_questions

    def successor(self) -> "_Child":
        """A process in place of this one, which has died.

        Raises:
            ErrataError: If too many in a row died at their start.
        """
        self.wait(1)
        self.kill()
        deaths = 0 if self.began else self._deaths + 1
        if deaths == TRIES:
            raise ErrataError(
                f"a process died {TRIES} times before it ran a row ({self.link.why or _ending(self._process)}): "
                "finished rows are kept, and the same command continues"
            )
        return _Child(self._work, self._account, deaths)

    def end(self) -> None:
        """Tell it that there is nothing more to do. Its calls in flight stay as they are: reserved, and so paid."""
        self._settling.cancel()
        self.link.end()

    def wait(self, seconds: float) -> None:
        """Wait until it has ended, but not for long."""
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(max(seconds, 0))

    def kill(self) -> None:
        """End it now, if it has not ended."""
        self._process.kill()
        self._process.wait()

    async def _answer(self, question: tuple[Any, ...]) -> Any:
        """Tell it what to do, reserve a call of so many tokens, or settle a call with its usage."""
        match question:
            case ():
                return self._work
            case ("began",):
                self.began = True
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
        for call in self._calls:
            with suppress(ErrataError):  # without a note in the journal it counts as paid, too
                await self._account.settle(call, None)


def _ending(process: subprocess.Popen[bytes]) -> str:
    code = process.returncode
    return f"exit code {code}" if code >= 0 else str(signal.strsignal(-code)).lower()


def _told(error: Exception) -> str:
    return f"{type(error).__name__}: {error}".removesuffix(": ")


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


def main(pipe: int) -> None:
    """The program of a process: run rows until the engine's process says that it is done, or dies."""
    signal.signal(signal.SIGTERM, lambda *_: None)  # whoever sends it to all processes means the engine
    end = Connection(pipe)
    try:
        asyncio.run(_run_rows(end))
    except Exception as error:
        with suppress(OSError):
            end.send(("end", 0, _told(error)))


async def _run_rows(pipe: "Connection[Any, Any]") -> None:
    work: asyncio.Future[Any] = asyncio.get_running_loop().create_future()

    async def run(row: Row) -> Record:
        one, replies = await work
        return await run_row(row, one, replies, _Kept(link))

    link = Link(pipe, run, lost=lambda: os._exit(1))
    method, context, replies = await link.ask(())
    work.set_result((graph_of(method, context), replies))
    with seldom_collected():
        await link.ask(("began",))
        await link.gone.wait()
