"""A loopback server that stands in for a chat model and for the web, and misbehaves on demand.

It speaks the OpenAI-compatible chat interface, so that what is tested and measured goes through the real client:

    with Stub(lambda ask: '{"queries": []}', latency=0.1) as stub:
        Context(model="openai:stub", base_url=stub.base_url)

It is a few lines of HTTP/1.1 on asyncio, in a thread of its own: what it costs itself must not show in a measurement.
"""

import asyncio
import json
import re
import socket
import struct
import threading
import time
from collections import Counter
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal, Self

Fault = Literal["", "reset", "cut", "hang"]


@dataclass(frozen=True)
class Ask:
    """One request to the model, as it came."""

    number: int
    """How many came before it."""
    body: dict[str, Any]
    headers: Mapping[str, str]

    @property
    def messages(self) -> list[dict[str, Any]]:
        messages: list[dict[str, Any]] = self.body["messages"]
        return messages

    @property
    def schema(self) -> str:
        """Name of the schema that the reply shall follow; empty if none is asked for."""
        wanted = self.body.get("response_format") or {}
        return str(wanted.get("json_schema", {}).get("name", wanted.get("type", "")))


@dataclass(frozen=True)
class Reply:
    """What comes back."""

    text: str = ""
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    finish: str = "stop"
    tool_calls: tuple[tuple[str, dict[str, Any] | str], ...] = ()
    """Name and arguments of each; as a string they are sent as they stand, JSON or not."""
    more: tuple[str, ...] = ()
    """Texts of further choices, as a request with `n` wants them."""
    logprobs: tuple[tuple[float, ...], ...] = ()
    """Log-probabilities of the tokens of each choice."""
    body: bytes | None = None
    """Sent as it stands instead of what the other fields describe."""
    fault: Fault = ""
    """`reset` breaks the connection, `cut` breaks it in the middle of the reply, `hang` never answers."""


Answer = Callable[[Ask], str | Reply]
"""Words are the same in all replies to a request that wants several."""


def in_turn(*replies: str | Reply, then: Answer | str = "") -> Answer:
    """Answer with each reply once, in their order, and go on with `then`."""
    waiting = list(replies)

    def answer(ask: Ask) -> str | Reply:
        if waiting:
            return waiting.pop(0)
        return then if isinstance(then, str) else then(ask)

    return answer


def refusal(status: int, message: str, **headers: str) -> Reply:
    """An error in the form that the OpenAI interface gives it; `retry_after="1"` becomes the header Retry-After."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return Reply(
        status=status, headers=named, body=json.dumps({"error": {"message": message, "type": "stub"}}).encode()
    )


def refusing(*fields: str, then: Answer) -> Answer:
    """Refuse a request that has one of these fields, as servers do that do not know it: `n`, `logprobs`, `tools`."""

    def answer(ask: Ask) -> str | Reply:
        unknown = [name for name in fields if name in ask.body]
        return refusal(400, f"unknown field {unknown[0]}") if unknown else then(ask)

    return answer


SLOW_DOWN = refusal(429, "Rate limit reached", retry_after="0")
BROKEN = refusal(500, "The server had an error", retry_after="0")
WRONG_KEY = refusal(401, "Incorrect API key provided")
NO_SCHEMAS = refusal(400, "response_format not supported")


@dataclass
class Visit:
    """What the log keeps of a request."""

    path: str
    began: float
    """On the clock of `time.monotonic`."""
    ended: float = 0.0
    status: int = 0
    """0 while it is not answered, and where the connection broke."""
    ask: Ask | None = None
    """What the model was asked; None for a page."""


@dataclass
class Stub:
    """The server; it runs while the context manager is open.

    latency, page_latency
        seconds that a chat request and a page take
    pages
        what is served under `/pages/`: from the rest of the path to HTML, or None where there is no such page
    """

    answer: Answer
    latency: float = 0.0
    pages: Callable[[str], str | None] = lambda path: None
    page_latency: float = 0.0
    visits: list[Visit] = field(default_factory=list)
    peak: int = 0
    """The most chat requests that were under way at the same time."""

    def __enter__(self) -> Self:
        self._loop = asyncio.new_event_loop()
        self._under_way = 0
        self._connections: set[asyncio.Task[None]] = set()
        self._thread = threading.Thread(target=self._loop.run_forever, name="stub", daemon=True)
        self._thread.start()
        self._server = asyncio.run_coroutine_threadsafe(self._start(), self._loop).result()
        return self

    def __exit__(self, *_: object) -> None:
        asyncio.run_coroutine_threadsafe(self._stop(), self._loop).result()
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    @cached_property
    def origin(self) -> str:
        return f"http://127.0.0.1:{self._server.sockets[0].getsockname()[1]}"

    @property
    def base_url(self) -> str:
        """What a client of the OpenAI interface wants to know."""
        return f"{self.origin}/v1"

    @property
    def asks(self) -> list[Ask]:
        """What the model was asked, in the order in which it came."""
        return [visit.ask for visit in self.visits if visit.ask]

    @property
    def counts(self) -> Counter[str]:
        """Chat requests by the schema that they asked for, and pages under `page`."""
        return Counter(visit.ask.schema if visit.ask else "page" for visit in self.visits)

    @property
    def connections(self) -> int:
        """Connections that are open."""
        return len(self._connections)

    def forget(self) -> None:
        """Start counting anew."""
        self.visits.clear()
        self.peak = 0

    async def _start(self) -> asyncio.Server:
        return await asyncio.start_server(self._connected, "127.0.0.1", 0, limit=2**22, backlog=1_000)

    async def _stop(self) -> None:
        self._server.close()
        for connection in self._connections:
            connection.cancel()
        await asyncio.gather(*self._connections, return_exceptions=True)
        await self._server.wait_closed()

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        # asyncio sets TCP_NODELAY by itself; without it every reply would take 40 ms more.
        task = asyncio.current_task()
        assert task
        self._connections.add(task)
        try:
            with suppress(ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError):
                while await self._serve(reader, writer):
                    pass
        finally:
            self._connections.discard(task)
            writer.close()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        """Answer one request; False if the connection is broken after it."""
        first, *lines = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").strip().split("\r\n")
        headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
        content = await reader.readexactly(int(headers.get("content-length", 0)))
        path = first.split(" ")[1]
        visit = Visit(path, time.monotonic())
        self.visits.append(visit)
        if path.startswith("/pages/"):
            await asyncio.sleep(self.page_latency)
            html = self.pages(path.removeprefix("/pages/"))
            kind = {"content-type": "text/html; charset=utf-8"}
            reply = Reply(status=404 if html is None else 200, headers=kind, body=(html or "").encode())
        elif path == "/v1/chat/completions":
            reply = await self._chat(visit, json.loads(content), headers)
        else:
            reply = refusal(404, f"there is nothing at {path}")
        return await self._send(reply, visit, writer)

    async def _chat(self, visit: Visit, body: dict[str, Any], asked: Mapping[str, str]) -> Reply:
        visit.ask = Ask(len(self.asks), body, asked)
        self._under_way += 1
        self.peak = max(self.peak, self._under_way)
        try:
            answered = self.answer(visit.ask)
            alike = (answered,) * (int(body.get("n") or 1) - 1) if isinstance(answered, str) else ()
            reply = Reply(answered, more=alike) if isinstance(answered, str) else answered
            await asyncio.sleep(3_600 if reply.fault == "hang" else self.latency)
        finally:
            self._under_way -= 1
        if reply.body is not None:
            return reply
        whole = _completion(reply, visit.ask)
        if not body.get("stream"):
            return Reply(status=reply.status, headers=reply.headers, fault=reply.fault, body=json.dumps(whole).encode())
        headers = {"content-type": "text/event-stream", **reply.headers}
        return Reply(status=reply.status, headers=headers, fault=reply.fault, body=_streamed(whole).encode())

    async def _send(self, reply: Reply, visit: Visit, writer: asyncio.StreamWriter) -> bool:
        if reply.fault == "reset":
            # Closing with nothing lingering sends a reset instead of a farewell.
            writer.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            return False
        body = reply.body or b""
        headers = {"content-type": "application/json", **reply.headers, "content-length": str(len(body))}
        head = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
        sent = body[: len(body) // 2] if reply.fault == "cut" else body
        writer.write(f"HTTP/1.1 {reply.status} -\r\n{head}\r\n".encode() + sent)
        await writer.drain()
        visit.status, visit.ended = reply.status, time.monotonic()
        return not reply.fault


def _completion(reply: Reply, ask: Ask) -> dict[str, Any]:
    message: dict[str, Any] = {"role": "assistant", "content": reply.text}
    if reply.tool_calls:
        message["tool_calls"] = [
            {"id": f"call-{number}", "type": "function", "function": {"name": name, "arguments": _as_sent(arguments)}}
            for number, (name, arguments) in enumerate(reply.tool_calls)
        ]
    every = [message, *({**message, "content": text} for text in reply.more)]
    messages = every[: ask.body.get("n") or 1]
    choices: list[dict[str, Any]] = [
        {"index": place, "message": each, "finish_reason": reply.finish} for place, each in enumerate(messages)
    ]
    for choice, tokens in zip(choices, reply.logprobs if ask.body.get("logprobs") else (), strict=False):
        choice["logprobs"] = {"content": [{"token": "t", "logprob": each, "top_logprobs": []} for each in tokens]}
    read = sum(len(str(message["content"]).split()) for message in ask.messages)
    written = sum(len(text.split()) for text in (reply.text, *reply.more)[: len(messages)])
    return {
        "id": f"chatcmpl-{ask.number}",
        "object": "chat.completion",
        "created": 0,
        "model": ask.body.get("model", "stub"),
        "choices": choices,
        "usage": {"prompt_tokens": read, "completion_tokens": written, "total_tokens": read + written},
    }


def _streamed(whole: dict[str, Any]) -> str:
    """A completion as the events of a stream: a word each, then how it ended, then what it cost."""
    (choice, *_), usage = whole["choices"], whole["usage"]
    words = re.findall(r"\s*\S+|\s+$", choice["message"]["content"])
    deltas = [({"content": word}, None) for word in words] + [({}, choice["finish_reason"])]
    same = {name: whole[name] for name in ("id", "created", "model")} | {"object": "chat.completion.chunk"}
    events = [{**same, "choices": [{"index": 0, "delta": delta, "finish_reason": end}]} for delta, end in deltas]
    events.append({**same, "choices": [], "usage": usage})
    return "".join(f"data: {json.dumps(event)}\n\n" for event in events) + "data: [DONE]\n\n"


def _as_sent(arguments: dict[str, Any] | str) -> str:
    return arguments if isinstance(arguments, str) else json.dumps(arguments)
