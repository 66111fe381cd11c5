"""The MCP server as clients run it: started on standard input and output, or reached over HTTP on the loopback."""

import asyncio
import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from typing import Any

import httpx
import pytest
from langchain_core.runnables import RunnableLambda
from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamable_http_client
from mcp.types import CancelledNotification, CancelledNotificationParams, ClientNotification

from errata.apps.mcp.server import create_app

from ..known import known
from ..serving import serving

TOWER = "The Eiffel Tower was completed in 1899."
PROGRAM = "from errata.apps.cli.start import main; main()"
KEY = "a long random key"
ACCEPT = {"Accept": "application/json, text/event-stream"}
HELLO = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}},
}
NOISY = """
import os
from langchain_core.runnables import RunnableLambda
from errata import Context
from errata.apps.mcp.server import serve_stdio

def noisy(asked):
    print("printed by a model")
    os.system("echo printed by a program")
    os.write(1, b"printed by a library\\n")
    return {"queries": []}

serve_stdio(Context(backends={"queries": RunnableLambda(noisy)}))
"""


async def test_a_client_starts_the_server_and_corrects_a_text() -> None:
    server = StdioServerParameters(command=sys.executable, args=["-c", PROGRAM, "mcp"], env={**os.environ})
    async with stdio_client(server) as wires, ClientSession(*wires) as session:
        about = await session.initialize()
        assert about.serverInfo.name == "errata"
        assert len((await session.list_tools()).tools) == 3
        found = (await session.call_tool("correct_text", {"text": TOWER})).structuredContent or {}
    assert (found["text"], found["status"]) == (TOWER.replace("1899", "1889"), "corrected")
    assert "wikipedia.org" in found["changes"][0]["sources"][0]["source"]


def conversation(program: str, *messages: Any) -> subprocess.Popen[str]:
    """A program that was sent some lines. Its input stays open."""
    pipes: Any = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    started = subprocess.Popen([sys.executable, "-c", program, "mcp"], text=True, **pipes)
    assert started.stdin
    for message in messages:
        started.stdin.write((message if isinstance(message, str) else json.dumps(message)) + "\n")
    started.stdin.flush()
    return started


def test_standard_output_has_the_protocol_alone_and_rubbish_ends_nothing() -> None:
    call = {"name": "correct_text", "arguments": {"text": TOWER}}
    rubbish = ["not JSON \x1b[2J", "[" * 5_000, '{"jsonrpc": "2.0", "id": 7, "method": "no/such"}', "{}"]
    asked = {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": call}
    begun = {"jsonrpc": "2.0", "method": "notifications/initialized"}
    with conversation(NOISY, HELLO, begun, *rubbish, asked) as server:
        assert server.stdin
        assert server.stdout
        assert server.stderr
        answers: dict[Any, Any] = {}
        while 2 not in answers:
            line = json.loads(server.stdout.readline())
            answers[line.get("id")] = line
        server.stdin.close()
        assert server.stdout.read() == ""
        beside = server.stderr.read()
    assert server.returncode == 0
    assert answers[2]["result"]["structuredContent"]["text"] == TOWER
    assert "error" in answers[7]
    assert all(f"printed by a {who}" in beside for who in ("model", "program", "library"))
    assert "\x1b[2J" not in beside


def test_ctrl_c_ends_the_server_at_once_and_without_a_word() -> None:
    with conversation(PROGRAM, HELLO) as server:
        assert server.stdout
        assert server.stderr
        assert json.loads(server.stdout.readline())["id"] == 1
        server.send_signal(signal.SIGINT)
        assert server.wait(60) in (-signal.SIGINT, 130)
        assert server.stderr.read() == ""


@pytest.fixture
def over_http() -> Iterator[str]:
    """The server as a command, on a free port."""
    arguments = [sys.executable, "-c", PROGRAM, "mcp", "--http", "--port", "0"]
    with subprocess.Popen(
        arguments, stderr=subprocess.PIPE, text=True, env={**os.environ, "ERRATA_API_KEY": ""}
    ) as run:
        assert run.stderr
        address = run.stderr.readline().split()[2]
        assert address.endswith("/mcp")
        yield address
        run.send_signal(signal.SIGINT)
        assert run.wait(120) == 0
        assert "Traceback" not in run.stderr.read()


@asynccontextmanager
async def connected(address: str, headers: dict[str, str] | None = None) -> AsyncIterator[ClientSession]:
    async with (
        httpx.AsyncClient(headers=headers, timeout=120) as http,
        streamable_http_client(address, http_client=http) as (reading, writing, _),
        ClientSession(reading, writing) as session,
    ):
        await session.initialize()
        yield session


async def test_http_serves_the_same_tools_and_no_page_of_another_site(over_http: str) -> None:
    async with connected(over_http) as session:
        found = (await session.call_tool("correct_text", {"text": TOWER})).structuredContent or {}
        refused = await session.call_tool("correct_text", {"text": TOWER, "settings": {"sources": "/etc"}})
    assert found["status"] == "corrected"
    assert refused.isError
    async with httpx.AsyncClient(headers=ACCEPT, timeout=60) as http:
        assert (await http.post(over_http, json=HELLO, headers={"Host": "evil.example"})).status_code == 400
        assert (await http.post(over_http, json={**HELLO, "id": "x" * 2_000_001})).status_code == 413
        form = await http.post(over_http, content=json.dumps(HELLO), headers={"Content-Type": "text/plain"})
        assert form.status_code == 400


def test_requests_beyond_what_may_be_under_way_are_turned_away(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("errata.apps.mcp.server.MOST_POSTS", 0)
    with serving(make=create_app) as address:
        answer = httpx.post(f"{address}/mcp", json=HELLO, timeout=60)
    assert (answer.status_code, answer.headers["retry-after"]) == (503, "5")


async def test_with_a_key_nothing_is_said_without_it() -> None:
    with serving(api_key=KEY, make=create_app) as address:
        async with httpx.AsyncClient(headers=ACCEPT, timeout=60) as http:
            assert (await http.post(f"{address}/mcp", json=HELLO)).status_code == 401
        async with connected(f"{address}/mcp", {"Authorization": f"Bearer {KEY}"}) as session:
            assert not (await session.call_tool("correct_text", {"text": TOWER})).isError


@pytest.mark.parametrize("leaving", ["cancels", "leaves"])
async def test_a_run_that_nobody_waits_for_is_cancelled(leaving: str) -> None:
    begun, ended = threading.Event(), threading.Event()

    async def endless(asked: dict[str, Any]) -> dict[str, Any]:
        begun.set()
        try:
            await asyncio.Event().wait()
        finally:
            ended.set()
        return {}

    world = known()
    defaults = known(backends={**world.backends, "queries": RunnableLambda(endless)})
    with serving(defaults, api_key="", make=create_app) as address:
        async with connected(f"{address}/mcp") as session:
            asking = asyncio.create_task(session.call_tool("correct_text", {"text": TOWER}))
            assert await asyncio.to_thread(begun.wait, 60)
            if leaving == "cancels":
                number = session._request_id - 1
                cancelled = CancelledNotification(params=CancelledNotificationParams(requestId=number))
                await session.send_notification(ClientNotification(cancelled))
                assert await asyncio.to_thread(ended.wait, 60)
            asking.cancel()
        assert await asyncio.to_thread(ended.wait, 60)
