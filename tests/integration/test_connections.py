"""Connections for clients of httpx: what a server does arrives as httpx would say it."""

import asyncio
import socket
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

import httpx
import pytest

from errata.state.runs.connections import certificates, connections

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


def client(**settings: Any) -> Any:
    return httpx.AsyncClient(transport=connections(), verify=certificates(), **settings)


@pytest.mark.parametrize(
    ("said", "error"),
    [
        ([], "RemoteProtocolError"),
        ([b"HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nok"], "ReadError"),
        ([b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\nhel"], "ReadError"),
        ([b"220 mail.example ESMTP\r\n"], "RemoteProtocolError"),
        ([b"HTTP/1.1 200 OK\r\nx: " + b"y" * 100_000 + b"\r\n\r\n"], "RemoteProtocolError"),
    ],
    ids=["hangs up", "breaks off", "breaks off in a chunk", "is no web server", "endless header"],
)
async def test_what_was_sent_to_a_server_that_broke_off_may_have_been_received(said: list[bytes], error: str) -> None:
    async with served(saying(*said)) as address, client() as http:
        with pytest.raises(httpx.TransportError) as raised:
            await http.post(address, content=b"a question")
    assert type(raised.value).__name__ == error


async def test_a_server_that_is_not_there_received_nothing() -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        address = f"http://127.0.0.1:{free.getsockname()[1]}"
        async with client() as http:
            with pytest.raises(httpx.ConnectError):
                await http.get(address)


async def test_a_server_that_is_silent_is_given_up_but_not_as_if_it_had_not_been_reached() -> None:
    async def silent(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await asyncio.sleep(5)

    async with served(silent) as address, client(timeout=httpx.Timeout(5, read=0.05)) as http:
        with pytest.raises(httpx.ReadTimeout):
            await http.get(address)


async def test_a_connection_is_used_again_only_if_its_response_came_to_its_end() -> None:
    opened: list[str] = []

    async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        opened.append("")
        while True:
            opened[-1] += (path := (await reader.readuntil(b"\r\n\r\n")).split()[1].decode())
            size = 10 if path != "/c" else 20_000_000
            writer.write(f"HTTP/1.1 200 OK\r\ncontent-length: {size}\r\n\r\n".encode() + b"x" * size)

    async with served(talk) as address, client() as http:
        await http.get(f"{address}/a")
        await http.get(f"{address}/b")
        async with http.stream("GET", f"{address}/c"):
            pass  # and little of it arrived
        await http.get(f"{address}/d")
    assert opened == ["/a/b/c", "/d"]


async def test_redirects_are_not_followed_cookies_not_kept_and_bodies_not_unpacked() -> None:
    asked: list[str] = []

    async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        asked.append((await reader.readuntil(b"\r\n\r\n")).decode().lower())
        head = (
            b"HTTP/1.1 302 Found\r\nlocation: /b\r\nset-cookie: a=1\r\ncontent-encoding: gzip\r\ncontent-length: 3\r\n"
        )
        writer.write(head + b"connection: close\r\n\r\nabc")

    async with served(talk) as address:
        transport = connections()
        assert transport is not None
        request = httpx.Request("GET", f"{address}/a%20b?c=d", headers={"Host": "name.example"})
        for _ in range(2):
            response = await transport.handle_async_request(request)
            assert (response.status_code, response.headers["location"]) == (302, "/b")
            assert await response.aread() == b"abc"
            await response.aclose()
        await transport.aclose()
    assert asked[0].startswith("get /a%20b?c=d http/1.1")
    assert "host: name.example" in asked[0]
    assert "cookie" not in asked[1]


async def test_what_is_abandoned_leaves_no_connection() -> None:
    closed = asyncio.Event()

    async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        await reader.read()  # until the client is gone
        closed.set()

    async with served(talk) as address, client() as http:
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.1):
                await http.get(address)
        await asyncio.wait_for(closed.wait(), 5)


def test_proxies_of_the_environment_are_left_to_the_library(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTPS_PROXY", "http://proxy.example:3128")
    assert connections() is None


async def test_an_answer_that_nobody_asked_for_is_not_the_next_one() -> None:
    answers = iter(["one", "two"])

    async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while True:
            await reader.readuntil(b"\r\n\r\n")
            body = next(answers).encode()
            writer.write(b"HTTP/1.1 200 OK\r\ncontent-length: 3\r\n\r\n" + body)
            await writer.drain()
            await asyncio.sleep(0.05)
            writer.write(b"HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\nlate")

    async with served(talk) as address, client() as http:
        assert (await http.get(address)).text == "one"
        await asyncio.sleep(0.2)
        assert (await http.get(address)).text == "two"
