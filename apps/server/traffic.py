"""The server under load: how many runs at once, what happens to the others, and what is logged of each request."""

import asyncio
import json
import os
import sys
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, TextIO

from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ...graphs import METHODS
from ...state import Context
from ...state.errors import ErrataError
from ...state.runs.meter import NOTHING, cost, metered
from .accounts import seconds_until_tomorrow

if TYPE_CHECKING:
    from .metrics import Metrics

CALLS = ("invoke", "batch", "stream", "stream_log", "stream_events", "watch", "report")
"""The calls of a method; `watch` and `report` are the page's."""
BODY_SECONDS = 20.0
"""Seconds until the body of a request must be complete."""
SEND_SECONDS = 60.0
"""Seconds until a client must take the next piece of a response."""
RETRY_AFTER = 5
"""Seconds after which a rejected request may find room."""
TOO_MUCH = "the server is busy: try again later"
LEFT = 499
"""The status of a request whose client left before there was one."""


def run_of(scope: Scope) -> tuple[str, str]:
    """The method and the call of a request; empty if it asks for no run."""
    *_, method, call = ("", "", *str(scope.get("path", "")).rstrip("/").split("/"))
    is_run = scope["type"] == "http" and scope["method"] == "POST" and method in METHODS and call in CALLS
    return (method, call) if is_run else ("", "")


class Load:
    """How many runs are active and waiting, and how many may be."""

    def __init__(self, at_once: int, most_waiting: int) -> None:
        self.places = asyncio.Semaphore(at_once)
        self.most_waiting = most_waiting
        self.waiting = 0
        self.running = 0

    @property
    def is_full(self) -> bool:
        """Whether the next run would be rejected."""
        return self.places.locked() and self.waiting >= self.most_waiting

    @asynccontextmanager
    async def place(self) -> AsyncIterator[None]:
        """Wait for a place, and keep it for the block.

        Raises:
            ErrataError: If there are too many who wait.
        """
        if self.is_full:
            raise ErrataError(TOO_MUCH)
        self.waiting += 1
        try:
            await self.places.acquire()
        finally:
            self.waiting -= 1
        self.running += 1
        try:
            yield
        finally:
            self.running -= 1
            self.places.release()


class Admit:
    """Runs a limited number of requests at once, lets some wait, and rejects the others with 503.

    A run whose client disconnects is cancelled along with its calls.
    """

    def __init__(self, app: ASGIApp, load: Load) -> None:
        self.app = app
        self.load = load

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Run a request in its turn, or answer 429 (quota used up) or 503 (too many wait). Only runs are counted."""
        if not run_of(scope)[0]:
            await self.app(scope, receive, send)
            return
        account, load = scope.get("errata.account"), self.load
        if account and (why := account.refusal()):
            await refusal(429, why, seconds_until_tomorrow())(scope, receive, send)
            return
        if load.is_full:
            await refusal(503, TOO_MUCH, RETRY_AFTER)(scope, receive, send)
            return
        if account:
            account.requests += 1
        load.waiting += 1
        has_place = False

        async def run(scope: Scope, receive: Receive, send: Send) -> None:
            nonlocal has_place
            async with load.places:
                load.waiting, load.running, has_place = load.waiting - 1, load.running + 1, True
                # Others may have used up the quota while this one waited.
                used_up = account.refusal("model calls") if account else ""
                app = refusal(429, used_up, seconds_until_tomorrow()) if used_up else self.app
                try:
                    await app(scope, receive, send)
                finally:
                    load.running -= 1

        try:
            await attend(run, scope, receive, send)
        finally:
            load.waiting -= not has_place


async def attend(app: ASGIApp, scope: Scope, receive: Receive, send: Send) -> None:
    """Pass a request on when it is complete, and cancel it when its client has disconnected.

    Other work for the request can look at the event `errata.gone` of its scope.
    """
    answered = False

    async def sending(message: Message) -> None:
        nonlocal answered
        answered = message["type"] == "http.response.body" and not message.get("more_body")
        await send(message)

    async def watching() -> Message:
        message = await receive()
        if answered and message["type"] == "http.disconnect":  # that is how a server says that the response is complete
            await asyncio.Event().wait()  # until this is cancelled
        return message

    async def run(body: list[Message], disconnected: asyncio.Event) -> None:
        scope["errata.gone"] = disconnected
        await app(scope, _replayed(body, disconnected), _in_time(sending, disconnected))

    try:
        body = await _body(receive)
        if body:
            await _while_somebody_waits(run, body, watching)
    except HTTPException as error:
        await refusal(error.status_code, error.detail)(scope, receive, send)


async def _while_somebody_waits(run: Callable[..., Any], body: list[Message], receive: Receive) -> None:
    """Run until it is done, or until the client has disconnected."""
    disconnected = asyncio.Event()

    async def watch() -> None:
        while (await receive())["type"] != "http.disconnect":
            pass
        disconnected.set()

    running, watching = asyncio.ensure_future(run(body, disconnected)), asyncio.ensure_future(watch())
    leaving = asyncio.ensure_future(disconnected.wait())
    try:
        await asyncio.wait({running, leaving}, return_when=asyncio.FIRST_COMPLETED)
        if not running.done():
            running.cancel()
            await asyncio.wait({running})
        if not running.cancelled():
            running.result()
    finally:
        for task in (running, watching, leaving):
            task.cancel()


async def _body(receive: Receive) -> list[Message]:
    """The whole body of a request; nothing if its client has disconnected.

    Raises:
        HTTPException: If it does not come in time.
    """
    parts: list[Message] = []
    try:
        async with asyncio.timeout(BODY_SECONDS):
            while not parts or parts[-1].get("more_body"):
                parts.append(await receive())
                if parts[-1]["type"] == "http.disconnect":
                    return []
    except TimeoutError:
        raise HTTPException(408, f"the request was not complete after {BODY_SECONDS:g} seconds") from None
    return parts


def _replayed(body: list[Message], disconnected: asyncio.Event) -> Receive:
    """Receive what was received before, and then that the client has disconnected."""
    waiting = iter(body)

    async def receive() -> Message:
        if (part := next(waiting, None)) is not None:
            return part
        await disconnected.wait()
        return {"type": "http.disconnect"}

    return receive


def _in_time(send: Send, disconnected: asyncio.Event) -> Send:
    """Send, and treat a client that does not read as disconnected."""

    async def send_in_time(message: Message) -> None:
        try:
            async with asyncio.timeout(SEND_SECONDS):
                await send(message)
        except TimeoutError:
            disconnected.set()
            await asyncio.Event().wait()  # until this is cancelled

    return send_in_time


def refusal(status: int, detail: str, after: int = 0) -> Response:
    """An answer that says why there is none, and after how many seconds there may be."""
    headers = {"Retry-After": str(after)} if after else None
    return JSONResponse({"detail": detail}, status_code=status, headers=headers)


class Note:
    """Logs each request when it is over, as a line of JSON without any of its texts, and in the metrics."""

    def __init__(self, app: ASGIApp, prices: Context, audit: str, metrics: "Metrics | None") -> None:
        self.app = app
        self.prices = prices
        self.audit = audit
        self.metrics = metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass on a request, then log it with its status, seconds and usage."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        if "\0" in scope["path"]:  # which no file and no route has, and the file system raises at
            await refusal(404, "Not Found")(scope, receive, send)
            return
        status, begun = LEFT, time.monotonic()

        async def noting(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        with metered() as meter:
            try:
                await self.app(scope, receive, noting)
            finally:
                if account := scope.get("errata.account"):
                    account.calls += int(meter.spent.get("llm_calls", 0))
                self._note(scope, status, time.monotonic() - begun, meter.spent)

    def _note(self, scope: Scope, status: int, seconds: float, usage: dict[str, float]) -> None:
        method, call = run_of(scope)
        total: Any = {**NOTHING, **usage}
        dollars = cost(total, self.prices)
        if self.metrics:
            self.metrics.note(method, call, status, seconds, total, dollars or 0.0)
        if self.audit:
            account = scope.get("errata.account")
            line = {
                "time": datetime.now(UTC).isoformat(timespec="milliseconds"),
                "key": account.name if account else None,
                "http": scope["method"] if scope["method"] in ("GET", "POST", "HEAD", "OPTIONS") else "other",
                "method": method,
                "call": call,
                "status": status,
                "seconds": round(seconds, 3),
                **{name: int(total[name]) for name in ("llm_calls", "input_tokens", "output_tokens")},
                "failures": int(total.get("failures", 0)),
                "cost": dollars,
            }
            with suppress(OSError), audit_file(self.audit) as file:  # a full disk ends no run
                print(json.dumps(line), file=file, flush=True)


@contextmanager
def audit_file(where: str) -> Iterator[TextIO]:
    """Where lines about requests go: a file, which is appended to and may be moved away, or `-` for standard error."""
    if where == "-":
        yield sys.stderr
        return
    # A pipe that nobody reads must not block the server: it is an error, like a full disk.
    with open(where, "a", encoding="utf-8", opener=_without_waiting) as file:
        yield file


def _without_waiting(path: str, flags: int) -> int:
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0), 0o666)
