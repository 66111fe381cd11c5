"""The server under load and before clients that misbehave."""

import json
import os
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any

import httpx
import pytest

from benchmarks import scripted
from benchmarks.stub import Reply, Stub
from errata.apps.server import guard, routes
from errata.state import Context

from ..serving import serving

CALLS = ("invoke", "batch", "stream", "stream_log", "stream_events", "watch")
BODY = {"input": {"text": scripted.text(4)}, "inputs": [{"text": scripted.text(4)}] * 3}


@pytest.fixture
def stub() -> Iterator[Stub]:
    with Stub(scripted.brain) as stub:
        yield stub


def asking(stub: Stub, **more: Any) -> Context:
    """Settings of a server whose model is the stub."""
    search = scripted.TowerLibrary()
    return Context(model="openai:stub", base_url=stub.base_url, search=search, cache=False, retries=0, **more)


def until(is_so: Callable[[], Any], seconds: float = 60) -> None:
    """Wait until something is so."""
    end = time.monotonic() + seconds
    while not is_so():
        assert time.monotonic() < end, "it never was"
        time.sleep(0.01)


def place(address: str) -> tuple[str, int]:
    return "127.0.0.1", int(address.rpartition(":")[2])


def leaver(address: str, call: str = "invoke", headers: bytes = b"") -> socket.socket:
    """A client that asks, and may leave."""
    body = json.dumps(BODY).encode()
    client = socket.create_connection(place(address))
    client.sendall(
        b"POST /rarr/%s HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        b"%sContent-Length: %d\r\n\r\n%s" % (call.encode(), headers, len(body), body)
    )
    return client


@pytest.mark.parametrize("call", CALLS)
def test_a_run_whose_client_leaves_makes_no_further_call(stub: Stub, call: str) -> None:
    stub.latency = 0.3
    with serving(api_key="", defaults=asking(stub)) as address:
        with leaver(address, call):
            until(lambda: stub.asks)
        time.sleep(2 * stub.latency)
        made = len(stub.asks)
        time.sleep(3 * stub.latency)  # in which a run that went on would ask the gates
        assert len(stub.asks) == made
        assert all(ask.schema != "Agreement" for ask in stub.asks)


def post(address: str, call: str = "invoke", **more: Any) -> httpx.Response:
    return httpx.post(f"{address}/rarr/{call}", json={"input": BODY["input"]}, timeout=120, **more)


FIRST = """
import gc, sys
from starlette.testclient import TestClient
from benchmarks import scripted
from errata.apps.server.app import create_app, make_ready
from errata.state import Context

base_url, origin = sys.argv[1:]
search = scripted.TowerSearch(origin=origin)
settings = Context(model="openai:stub", base_url=base_url, search=search, cache=False, allow_private_addresses=True)
app = create_app(settings, api_key="")
make_ready(app, settings)
print(len(gc.get_objects()))
before = set(sys.modules)
with TestClient(app, base_url="http://localhost") as client:
    assert not client.post("/rarr/invoke", json={"input": {"text": scripted.text(2)}}).json()["output"]["failures"]
print(*sorted(set(sys.modules) - before))
"""


def test_what_the_first_request_needs_is_there_before_and_garbage_is_looked_for_in_nothing_else() -> None:
    environment = {**os.environ, "OPENAI_API_KEY": "none", "PYTHONPATH": os.getcwd()}
    with Stub(scripted.brain, pages=scripted.page) as stub:
        command = [sys.executable, "-c", FIRST, stub.base_url, stub.origin]
        ran = subprocess.run(command, env=environment, capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr
    objects, loaded = ran.stdout.splitlines()
    assert int(objects) < 10_000
    assert {name.partition(".")[0] for name in loaded.split()}.isdisjoint({"errata", "aiohttp", "tantivy"})


def test_what_finds_no_place_is_turned_away_and_may_come_again(stub: Stub) -> None:
    stub.answer = lambda ask: Reply(fault="hang")
    with serving(api_key="", defaults=asking(stub, timeout=300), connections=3) as address:
        clients = [leaver(address) for _ in range(3)]
        until(lambda: len(stub.asks) >= 3)
        assert post(address).status_code == 503
        stub.answer = scripted.brain
        for client in clients:
            client.close()
        until(lambda: httpx.get(f"{address}/health", timeout=60).status_code == 200)
        assert post(address).status_code == 200


@pytest.mark.parametrize("key", ["", "sesame"])
def test_a_request_of_two_lengths_hides_no_other(key: str) -> None:
    hidden = b"GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n"
    head = b"POST /rarr/invoke HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: %d\r\n"
    body = b"0\r\n\r\n" + hidden
    received = b""
    with serving(api_key=key) as address, socket.create_connection(place(address), timeout=60) as client:
        client.sendall(head % len(body) + b"Transfer-Encoding: chunked\r\n\r\n" + body)
        with suppress(ConnectionResetError):
            while part := client.recv(10_000):
                received += part
    assert received.startswith(b"HTTP/1.1 400")
    assert received.count(b"HTTP/1.1 ") == 1


@pytest.mark.parametrize("key", ["", "sesame"])
def test_a_body_that_does_not_come_is_not_waited_for(key: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(routes, "BODY_SECONDS", 0.2)
    monkeypatch.setattr(guard, "FORM_SECONDS", 0.2)
    kind = b"application/x-www-form-urlencoded" if key else b"application/json"
    head = b"POST /rarr/invoke HTTP/1.1\r\nHost: localhost\r\nContent-Type: %s\r\nContent-Length: 900\r\n\r\nx"
    with serving(api_key=key) as address, socket.create_connection(place(address), timeout=60) as client:
        client.sendall(head % kind)
        assert client.recv(10_000).startswith(b"HTTP/1.1 401" if key else b"HTTP/1.1 408")


def test_requests_are_counted_without_their_texts(stub: Stub) -> None:
    key = {"X-API-Key": "the key of alice"}
    with serving(api_key="the key of alice", defaults=asking(stub), metrics=True) as address:
        assert post(address, headers=key).status_code == 200
        asked = len(stub.asks)
        assert httpx.post(f"{address}/rarr/invoke", json={}, headers=key, timeout=60).status_code == 422
        httpx.get(f"{address}/a-secret-path", headers=key)
        httpx.request("SECRET", f"{address}/rarr/playground/secret", headers=key)
        stub.answer = lambda ask: Reply(fault="hang")
        with leaver(address, headers=b"X-API-Key: the key of alice\r\n"):
            until(lambda: len(stub.asks) > asked)
        until(lambda: 'status="499"' in httpx.get(f"{address}/metrics", headers=key).text)
        page = httpx.get(f"{address}/metrics", headers=key).text
        assert httpx.get(f"{address}/metrics").status_code == 401
    for status in (200, 422, 499):
        assert f'http_requests_total{{handler="/rarr/invoke",method="POST",status="{status}"}} 1.0' in page
    assert 'handler="none",method="GET",status="404"' in page
    assert not any(word in page.lower() for word in ("tower", "the key", "secret"))


def test_the_runs_of_a_batch_keep_to_a_few_at_once_and_their_order(stub: Stub) -> None:
    texts = [scripted.text(1 + number % 3) for number in range(20)]
    with serving(api_key="", defaults=asking(stub)) as address:
        answer = httpx.post(f"{address}/rarr/batch", json={"inputs": [{"text": text} for text in texts]}, timeout=120)
        assert [output["original"] for output in answer.json()["output"]] == texts
