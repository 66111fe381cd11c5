"""Connections by aiohttp for clients of httpx and of its successor httpx2: half the processor time of their own."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any
from urllib.request import getproxies

KEPT, KEPT_BRIEFLY = 15.0, 1.0
"""Seconds for which an unused connection stays open: to the server of a model, and to each of many web pages."""
LONGEST_HEADER = 2**16
"""The most bytes of a line of a response's head: policies in headers are long."""


def connections(library: Any, *, trust_env: bool = True, kept: float = KEPT) -> Any | None:
    """A transport for an asynchronous client of httpx or httpx2.

    Args:
        library: The module `httpx` or `httpx2`.
        trust_env: Whether the client heeds the environment's proxies.
        kept: Seconds for which an unused connection stays open.

    Returns:
        The transport; None if there are proxies, which only the library's own transport knows how to use.
    """
    if trust_env and getproxies().keys() - {"no"}:
        return None
    return _transport_of(library)(ready(library), kept)


@cache
def ready(library: Any) -> Any:
    """Import what connections need, and read the certificates that the library trusts, which are returned."""
    _transport_of(library)
    return library.create_ssl_context()


@cache
def _transport_of(library: Any) -> Any:
    import aiohttp
    from yarl import URL

    # The first that fits counts. A ConnectError or ConnectTimeout says that the server received nothing.
    errors = (
        (aiohttp.ConnectionTimeoutError, library.ConnectTimeout),
        (aiohttp.ClientConnectorError, library.ConnectError),
        (aiohttp.ServerTimeoutError, library.ReadTimeout),
        (aiohttp.InvalidURL, library.UnsupportedProtocol),
        (aiohttp.ServerDisconnectedError, library.RemoteProtocolError),
        (aiohttp.ClientResponseError, library.RemoteProtocolError),
        (aiohttp.ClientPayloadError, library.RemoteProtocolError),
        (aiohttp.ClientError, library.ReadError),
        (OSError, library.ReadError),
    )

    @contextmanager
    def renamed() -> Iterator[None]:
        """Raise the library's errors instead of aiohttp's."""
        try:
            yield
        except (aiohttp.ClientError, OSError) as error:
            kind = next(theirs for ours, theirs in errors if isinstance(error, ours))
            raise kind(str(error) or type(error).__name__) from error

    class Connector(aiohttp.TCPConnector):
        """Uses no connection again on which something came that nobody asked for: it would be the next answer."""

        async def _get(self, key: Any, traces: Any) -> Any:
            connection = await super()._get(key, traces)
            while connection is not None and getattr(connection.protocol, "should_close", True):
                connection.close()
                connection = await super()._get(key, traces)
            return connection

    class Body(library.AsyncByteStream):  # type: ignore[misc]
        """The body of a response, as it arrives."""

        def __init__(self, response: aiohttp.ClientResponse) -> None:
            self.response = response

        async def __aiter__(self) -> AsyncIterator[bytes]:
            with renamed():
                async for chunk in self.response.content.iter_any():
                    yield chunk

        async def aclose(self) -> None:
            # A connection whose response was not read to its end cannot be used again.
            if self.response.content.at_eof():
                self.response.release()
            else:
                self.response.close()

    class Transport(library.AsyncBaseTransport):  # type: ignore[misc]
        """Sends requests of one event loop. It neither follows redirects nor keeps cookies nor unpacks a body."""

        def __init__(self, certificates: Any, kept: float) -> None:
            self.certificates, self.kept = certificates, kept
            self.session: aiohttp.ClientSession | None = None

        async def handle_async_request(self, request: Any) -> Any:
            session = self._opened()
            limits = request.extensions.get("timeout", {})
            try:
                body = request.content
            except library.RequestNotRead:
                body = request.stream
            with renamed():
                response = await session.request(
                    request.method,
                    URL(str(request.url), encoded=True),
                    headers=request.headers.multi_items(),
                    data=body or None,
                    allow_redirects=False,
                    server_hostname=request.extensions.get("sni_hostname"),
                    timeout=aiohttp.ClientTimeout(sock_connect=limits.get("connect"), sock_read=limits.get("read")),
                )
            return library.Response(
                response.status, headers=response.raw_headers, stream=Body(response), request=request
            )

        def _opened(self) -> aiohttp.ClientSession:
            if self.session is None:
                self.session = aiohttp.ClientSession(
                    # How many there may be at once is decided by those who send.
                    connector=Connector(limit=0, ssl=self.certificates, keepalive_timeout=self.kept),
                    cookie_jar=aiohttp.DummyCookieJar(),
                    auto_decompress=False,
                    skip_auto_headers=("Accept", "Accept-Encoding", "Content-Type", "User-Agent"),
                    max_line_size=LONGEST_HEADER,
                    max_field_size=LONGEST_HEADER,
                )
                self.session._retry_connection = False  # who sends decides what is sent twice
            return self.session

        async def aclose(self) -> None:
            if self.session is not None:
                await self.session.close()
                await asyncio.sleep(0)  # until then its sockets are open

    return Transport
