"""Connections of our own for clients of httpx and httpx2: what a server does arrives as the library would say it."""

import asyncio
import socket
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

import httpx
import httpx2
import pytest

from errata.state.runs.connections import connections, ready

LIBRARIES = pytest.mark.parametrize("library", [httpx, httpx2], ids=["httpx", "httpx2"])
OK = b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok"

Talk = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


@asynccontextmanager
async def served(talk: Talk) -> AsyncIterator[str]:
    async def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            await talk(reader, writer)
        except (ConnectionError, asyncio.IncompleteReadError):
            pass
        finally:
            writer.close()

    server = await asyncio.start_server(connected, "127.0.0.1", 0)
    async with server:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"


def saying(*pieces: bytes) -> Talk:
    async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        for piece in pieces:
            writer.write(piece)
            await writer.drain()

    return talk


def client(library: Any, **settings: Any) -> Any:
    return library.AsyncClient(transport=connections(library, trust_env=False), verify=ready(library), **settings)


@LIBRARIES
@pytest.mark.parametrize(
    ("said", "error"),
    [
        ([], "RemoteProtocolError"),
        ([b"HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nok"], "RemoteProtocolError"),
        ([b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\nhel"], "RemoteProtocolError"),
        ([b"220 mail.example ESMTP\r\n"], "RemoteProtocolError"),
        ([b"HTTP/1.1 200 OK\r\nx: " + b"y" * 100_000 + b"\r\n\r\n"], "RemoteProtocolError"),
    ],
    ids=["hangs up", "breaks off", "breaks off in a chunk", "is no web server", "endless header"],
)
async def test_what_was_sent_to_a_server_that_broke_off_may_have_been_received(
    library: Any, said: list[bytes], error: str
) -> None:
    async with served(saying(*said)) as address, client(library) as http:
        with pytest.raises(library.TransportError) as raised:
            await http.post(address, content=b"a question")
    assert type(raised.value).__name__ == error


@LIBRARIES
async def test_a_server_that_is_not_there_received_nothing(library: Any) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        address = f"http://127.0.0.1:{free.getsockname()[1]}"
        async with client(library) as http:
            with pytest.raises(library.ConnectError):
                await http.get(address)


@LIBRARIES
async def test_a_server_that_is_silent_is_given_up_but_not_as_if_it_had_not_been_reached(library: Any) -> None:
    async def silent(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await asyncio.sleep(5)

    async with served(silent) as address, client(library, timeout=library.Timeout(5, read=0.05)) as http:
        with pytest.raises(library.ReadTimeout):
            await http.get(address)


@LIBRARIES
async def test_a_connection_is_used_again_only_if_its_response_came_to_its_end(library: Any) -> None:
    opened: list[str] = []

    async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        opened.append("")
        while True:
            opened[-1] += (path := (await reader.readuntil(b"\r\n\r\n")).split()[1].decode())
            size = 10 if path != "/c" else 20_000_000
            writer.write(f"HTTP/1.1 200 OK\r\ncontent-length: {size}\r\n\r\n".encode() + b"x" * size)

    async with served(talk) as address, client(library) as http:
        await http.get(f"{address}/a")
        await http.get(f"{address}/b")
        async with http.stream("GET", f"{address}/c"):
            pass  # and little of it arrived
        await http.get(f"{address}/d")
    assert opened == ["/a/b/c", "/d"]


@LIBRARIES
async def test_redirects_are_not_followed_cookies_not_kept_and_bodies_not_unpacked(library: Any) -> None:
    asked: list[str] = []

    async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        asked.append((await reader.readuntil(b"\r\n\r\n")).decode().lower())
        head = (
            b"HTTP/1.1 302 Found\r\nlocation: /b\r\nset-cookie: a=1\r\ncontent-encoding: gzip\r\ncontent-length: 3\r\n"
        )
        writer.write(head + b"connection: close\r\n\r\nabc")

    async with served(talk) as address:
        transport = connections(library, trust_env=False)
        assert transport is not None
        request = library.Request("GET", f"{address}/a%20b?c=%2F", headers={"Host": "name.example"})
        for _ in range(2):
            response = await transport.handle_async_request(request)
            assert (response.status_code, response.headers["location"]) == (302, "/b")
            assert b"".join([piece async for piece in response.stream]) == b"abc"
            await response.aclose()
        await transport.aclose()
    assert asked[0].startswith("get /a%20b?c=%2f http/1.1")
    assert "host: name.example" in asked[0]
    assert "cookie" not in asked[1]


@LIBRARIES
async def test_what_is_abandoned_leaves_no_connection(library: Any) -> None:
    closed = asyncio.Event()

    async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        await reader.read()  # until the client is gone
        closed.set()

    async with served(talk) as address, client(library) as http:
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.1):
                await http.get(address)
        await asyncio.wait_for(closed.wait(), 5)


@LIBRARIES
def test_proxies_of_the_environment_are_left_to_the_library(library: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTPS_PROXY", "http://proxy.example:3128")
    assert connections(library) is None
    assert connections(library, trust_env=False) is not None


def test_a_connection_of_another_name_in_tls_is_never_used_again() -> None:
    from aiohttp.client_reqrep import ConnectionKey

    # Pages are fetched from checked addresses, of which several names may have one.
    assert "server_hostname" in ConnectionKey._fields


@LIBRARIES
async def test_an_answer_that_nobody_asked_for_is_not_the_next_one(library: Any) -> None:
    answers = iter(["one", "two"])

    async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while True:
            await reader.readuntil(b"\r\n\r\n")
            body = next(answers).encode()
            writer.write(b"HTTP/1.1 200 OK\r\ncontent-length: 3\r\n\r\n" + body)
            await writer.drain()
            await asyncio.sleep(0.05)
            writer.write(b"HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\nlate")

    async with served(talk) as address, client(library) as http:
        assert (await http.get(address)).text == "one"
        await asyncio.sleep(0.2)
        assert (await http.get(address)).text == "two"
