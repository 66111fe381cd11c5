"""Connections to the servers of models, by aiohttp behind httpx: half the processor time of httpx's own."""

from functools import cache
from ssl import SSLContext
from typing import Any
from urllib.request import getproxies

import httpx

KEPT = 15.0
"""Seconds for which an unused connection stays open."""
LONGEST_HEADER = 2**16
"""The most bytes of a line of a response's head: policies in headers are long."""


def connections() -> httpx.AsyncBaseTransport | None:
    """A transport for an asynchronous client of httpx. It follows no redirects, and keeps no cookies.

    Returns:
        The transport; None if there are proxies, which httpx's own transport knows how to use.
    """
    if getproxies().keys() - {"no"}:
        return None
    transport: httpx.AsyncBaseTransport = _transport()(certificates())
    return transport


@cache
def certificates() -> SSLContext:
    """The certificates that httpx trusts. Reading them takes a while."""
    return httpx.create_ssl_context()


@cache
def _transport() -> Any:
    import aiohttp
    from httpx_aiohttp import AiohttpTransport

    class Transport(AiohttpTransport):
        """Says that a server received nothing only where that is so: such a call is not paid for."""

        def __init__(self, trusted: SSLContext) -> None:
            super().__init__(verify=trusted, client=lambda: session(trusted))

        async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
            try:
                return await super().handle_async_request(request)
            except (aiohttp.ClientError, httpx.TransportError) as error:
                cause = error if isinstance(error, aiohttp.ClientError) else error.__cause__
                match cause:
                    case aiohttp.ConnectionTimeoutError():
                        kind: type[httpx.TransportError] = httpx.ConnectTimeout
                    case aiohttp.ClientConnectorError():
                        kind = httpx.ConnectError
                    case aiohttp.ServerTimeoutError():
                        kind = httpx.ReadTimeout
                    case aiohttp.InvalidURL():
                        kind = httpx.UnsupportedProtocol
                    case _:
                        kind = httpx.RemoteProtocolError
                raise kind(str(cause) or type(cause).__name__) from cause

    class Connector(aiohttp.TCPConnector):
        """Uses no connection again on which something came that nobody asked for: it would be the next answer."""

        async def _get(self, key: Any, traces: Any) -> Any:
            connection = await super()._get(key, traces)
            while connection is not None and getattr(connection.protocol, "should_close", True):
                connection.close()
                connection = await super()._get(key, traces)
            return connection

    def session(trusted: SSLContext) -> aiohttp.ClientSession:
        return aiohttp.ClientSession(
            # How many there may be at once is decided by those who send.
            connector=Connector(limit=0, ssl=trusted, keepalive_timeout=KEPT),
            cookie_jar=aiohttp.DummyCookieJar(),
            skip_auto_headers=("Accept", "Accept-Encoding", "Content-Type", "User-Agent"),
            max_line_size=LONGEST_HEADER,
            max_field_size=LONGEST_HEADER,
        )

    return Transport
