"""Replies of a model's server that are too large: they are not read, whatever they claim to be."""

import asyncio
import gzip
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import httpx
import pytest
from langchain_core.messages import HumanMessage
from pydantic import PrivateAttr

from benchmarks.stub import Reply, Stub
from errata.models.providers import replies
from errata.models.providers.endpoint import connect
from errata.models.providers.provider import open_model
from errata.models.providers.request import Request
from errata.state import Context
from errata.state.errors import ModelError

from ..fakes import FakeChatModel


async def ask(address: str, model: str = "openai:stub") -> str:
    async with connect(Context(model=model, base_url=address, retries=2, timeout=30)) as endpoint:
        return (await endpoint.ask(Request([HumanMessage("Hello")]))).text


@asynccontextmanager
async def endless(status: int, beginning: bytes) -> AsyncIterator[str]:
    """A server that promises a gigabyte, sends so much of it, and then nothing more."""
    over = asyncio.Event()

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b"HTTP/1.1 %d -\r\ncontent-length: 1000000000\r\n\r\n" % status + beginning)
        await over.wait()
        writer.close()

    server = await asyncio.start_server(answer, "127.0.0.1", 0)
    try:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1"
    finally:
        over.set()
        server.close()


def sending(body: bytes, status: int = 200, **headers: str) -> Stub:
    return Stub(lambda _: Reply(status=status, body=body, headers=headers))


async def test_one_without_end_is_given_up_at_the_bound() -> None:
    async with endless(200, b'{"choices": "' + b"x" * replies.MOST_BYTES) as address:
        with pytest.raises(ModelError, match="openai:stub: the reply is larger than 16 MB"):
            await ask(address)


async def test_of_an_error_the_beginning_is_read() -> None:
    async with endless(404, b"<h1>Gone</h1>" + b" " * replies.MOST_ERROR_BYTES) as address:
        with pytest.raises(ModelError, match="404"):
            await ask(address)


async def test_a_packed_one_is_not_unpacked() -> None:
    bomb = gzip.compress(b" " * 50_000_000)
    for status in (200, 500):
        with (
            sending(bomb, status, **{"content-encoding": "gzip"}) as stub,
            pytest.raises(ModelError, match="the reply is compressed"),
        ):
            await ask(stub.base_url)
        assert stub.asks[0].headers["accept-encoding"] == "identity"
        assert len(stub.asks) == 1


async def test_one_of_the_usual_size_is_read_whole() -> None:
    with Stub(lambda _: "word " * 100_000) as stub:
        assert (await ask(stub.base_url)).split() == ["word"] * 100_000


async def test_so_are_those_of_a_client_that_another_provider_makes(monkeypatch: pytest.MonkeyPatch) -> None:
    class Inner:
        def __init__(self) -> None:
            self._client = httpx.AsyncClient()

    class Another(FakeChatModel):
        _async_client: Any = PrivateAttr(default_factory=Inner)

    monkeypatch.setattr("langchain.chat_models.init_chat_model", lambda name, **settings: Another(replies=[""]))
    for _ in range(2):
        model: Any = open_model(Context(model="someone:model"), object())
    async with model._async_client._client as client, endless(200, b"x" * (replies.MOST_BYTES + 1)) as address:
        assert client.headers["accept-encoding"] == "identity"
        assert len(client.event_hooks["response"]) == 1
        with pytest.raises(replies.UnusableReply, match="larger than 16 MB"):
            await client.get(address)


def test_what_is_behind_an_error_is_found() -> None:
    behind, between, error = replies.UnusableReply("too large"), OSError(), ValueError()
    between.__cause__, error.__context__ = behind, between
    assert replies.unusable(error) is behind
    assert replies.unusable(ValueError()) is None


def test_other_providers_that_take_our_client_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    class Compatible(FakeChatModel):
        http_async_client: Any = None

    monkeypatch.setattr("langchain.chat_models.init_chat_model", lambda name, **settings: made(settings))

    def made(settings: dict[str, Any]) -> FakeChatModel:
        return Compatible(replies=[""], http_async_client=settings.get("http_async_client"))

    connections = object()
    assert open_model(Context(model="someone:model"), connections).http_async_client is connections  # type: ignore[attr-defined]
