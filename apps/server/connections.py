"""The server's connections: one that sends no request makes room for others.

uvicorn waits for the header of a request without limit, so clients that send none could use up the descriptors of the
process.
"""

import asyncio
from contextlib import suppress
from math import inf
from typing import Any, ClassVar

from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send
from uvicorn.protocols.http.h11_impl import H11Protocol

HEADER_SECONDS = 10.0
"""Seconds until a header must be complete, from the start of the connection or the end of the last response."""
LEAST_TAKEN = 500_000
"""Bytes of a complete response that a client has to read in that time."""
SPARE = 100
"""How many descriptors client connections leave for model connections, files and logs."""


class Connection(H11Protocol):
    """A connection that is dropped if no header comes in time, or if there are too many."""

    expecting: ClassVar[dict["Connection", asyncio.TimerHandle]] = {}
    """Connections without a request so far, the oldest first, and what ends their time."""
    untaken: float = inf
    """Bytes of a response that the client had not read at the last look."""
    most: ClassVar[int] = 512
    """How many connections are allowed at once; half of them may be without a request."""

    def __init__(self, *given: Any, **named: Any) -> None:
        super().__init__(*given, **named)
        self.app = one_length(self.app)

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Start the time for a header; if there are too many connections, drop the one that has waited longest."""
        super().connection_made(transport)
        self._look()
        if len(self.expecting) > self.most // 2 or len(self.connections) > self.most:
            next(iter(self.expecting)).give_up()

    def data_received(self, data: bytes) -> None:
        """Stop the time once the header is complete."""
        super().data_received(data)
        self._look()

    def on_response_complete(self) -> None:
        """Start the time for the next header."""
        super().on_response_complete()
        self._look()

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget the connection."""
        self._stop_expecting()
        super().connection_lost(exc)

    def give_up(self) -> None:
        """End the connection immediately."""
        self._stop_expecting()
        self.transport.abort()

    def _look(self) -> None:
        is_answering = self.cycle is not None and not self.cycle.response_complete
        if is_answering or self.transport.is_closing():
            self._stop_expecting()
        elif self not in self.expecting:
            self.untaken = inf
            self.expecting[self] = self.loop.call_later(HEADER_SECONDS, self._lapse)

    def _lapse(self) -> None:
        """Give up, unless the client is still taking the last response."""
        pending = self.transport.get_write_buffer_size()
        if not 0 < pending <= self.untaken - LEAST_TAKEN:
            self.give_up()
            return
        self.untaken = pending
        self.expecting[self] = self.loop.call_later(HEADER_SECONDS, self._lapse)

    def _stop_expecting(self) -> None:
        if timer := self.expecting.pop(self, None):
            timer.cancel()


def one_length(app: ASGIApp) -> ASGIApp:
    """Refuse a request that says in two ways how long it is, and end its connection.

    A proxy that reads the other length would take the rest of the body for the next request, or the next for this one.
    """

    async def checked(scope: Scope, receive: Receive, send: Send) -> None:
        names = {name for name, _ in scope.get("headers", ())}
        if {b"content-length", b"transfer-encoding"} <= names:
            refusal = PlainTextResponse(
                "Send Content-Length or Transfer-Encoding, not both.", 400, headers={"Connection": "close"}
            )
            await refusal(scope, receive, send)
        else:
            await app(scope, receive, send)

    return checked


def allow_many() -> None:
    """Let the process have as many descriptors as it may, and limit connections accordingly."""
    with suppress(ImportError, ValueError, OSError):
        import resource

        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        target = 65_536 if hard == resource.RLIM_INFINITY else min(hard, 65_536)
        if soft != resource.RLIM_INFINITY and soft < target:
            resource.setrlimit(resource.RLIMIT_NOFILE, (target, hard))
            soft = target
        Connection.most = min(max(soft - SPARE, 16), 2_000)
