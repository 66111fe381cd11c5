"""Connections of the server: one that sends no request makes room for others.

uvicorn waits for the header of a request for as long as it takes, so that clients who send none use up the descriptors
of the process.
"""

import asyncio
from contextlib import suppress
from typing import ClassVar

from uvicorn.protocols.http.h11_impl import H11Protocol

HEADER_SECONDS = 10.0
"""Until a header has to be whole, from the beginning of the connection or the end of the last response."""
SPARE = 100
"""Descriptors that connections of clients leave for those to models, for files and logs."""


class Connection(H11Protocol):
    """A connection that is given up if no header comes in time, or when there are too many."""

    expecting: ClassVar[dict["Connection", asyncio.TimerHandle]] = {}
    """Connections from which no request has come, the oldest first, and what ends their time."""
    most: ClassVar[int] = 512
    """Connections at once; half of them may be without a request."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._look()
        if len(self.expecting) > self.most // 2 or len(self.connections) > self.most:
            next(iter(self.expecting)).give_up()

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        self._look()

    def on_response_complete(self) -> None:
        super().on_response_complete()
        self._look()

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop_expecting()
        super().connection_lost(exc)

    def give_up(self) -> None:
        """End the connection at once."""
        self._stop_expecting()
        self.transport.abort()

    def _look(self) -> None:
        is_answering = self.cycle is not None and not self.cycle.response_complete
        if is_answering or self.transport.is_closing():
            self._stop_expecting()
        elif self not in self.expecting:
            self.expecting[self] = self.loop.call_later(HEADER_SECONDS, self.give_up)

    def _stop_expecting(self) -> None:
        if timer := self.expecting.pop(self, None):
            timer.cancel()


def allow_many() -> None:
    """Let the process have as many descriptors as it may, and count connections by that."""
    with suppress(ImportError, ValueError, OSError):
        import resource

        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        wanted = 65_536 if hard == resource.RLIM_INFINITY else min(hard, 65_536)
        if soft != resource.RLIM_INFINITY and soft < wanted:
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
            soft = wanted
        Connection.most = min(max(soft - SPARE, 16), 2_000)
