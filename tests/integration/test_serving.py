"""The server under load and before clients that misbehave."""

import hashlib
import json
import os
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Any

import httpx
import pytest

from benchmarks import scripted
from benchmarks.stub import Reply, Stub
from errata.apps.server import connections, traffic
from errata.apps.server.app import Operation
from errata.state import Context

from ..known import RIGHT, WRONG
from ..serving import serving

CALLS = ("invoke", "batch", "stream", "stream_log", "stream_events")
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


def leaver(address: str, call: str = "invoke") -> socket.socket:
    """A client that asks, and may leave."""
    body = json.dumps(BODY).encode()
    client = socket.create_connection(place(address))
    client.sendall(
        b"POST /rarr/%s HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        b"Content-Length: %d\r\n\r\n%s" % (call.encode(), len(body), body)
    )
    return client


@pytest.mark.parametrize("call", CALLS)
def test_a_run_whose_client_leaves_makes_no_further_call(stub: Stub, call: str) -> None:
    stub.latency = 0.3
    with serving(api_key="", defaults=asking(stub)) as address:
        with leaver(address, call):
            until(lambda: stub.asks)
        until(lambda: ready(address).json()["running"] == 0)
        made = len(stub.asks)
        time.sleep(3 * stub.latency)  # in which a run that went on would ask the gates
        assert len(stub.asks) == made
        assert all(ask.schema != "Agreement" for ask in stub.asks)


def post(address: str, call: str = "invoke", **more: Any) -> httpx.Response:
    return httpx.post(f"{address}/rarr/{call}", json={"input": BODY["input"]}, timeout=120, **more)


def ready(address: str) -> httpx.Response:
    return httpx.get(f"{address}/ready", timeout=60)


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
    operation = Operation(runs=2, waiting=1)
    with serving(api_key="", defaults=asking(stub, timeout=300), operation=operation) as address:
        clients = [leaver(address) for _ in range(3)]
        until(lambda: ready(address).status_code == 503)
        assert ready(address).json() == {"ready": False, "running": 2, "waiting": 1}
        turned_away = post(address)
        assert (turned_away.status_code, turned_away.headers["retry-after"]) == (503, "5")
        assert "busy" in turned_away.json()["detail"]
        assert httpx.get(f"{address}/health", timeout=60).status_code == 200
        stub.answer = scripted.brain
        for client in clients:
            client.close()
        until(lambda: ready(address).json()["running"] == 0)
        assert post(address).status_code == 200


def test_connections_that_send_no_header_end_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections.Connection, "most", 60)
    with serving(api_key="") as address, ExitStack() as stack:
        for number in range(300):
            client = stack.enter_context(socket.create_connection(place(address)))
            client.sendall(b"GET /health HTTP/1.1\r\nHost: x\r\n" if number % 2 else b"")
        until(lambda: len(connections.Connection.expecting) <= 30)
        assert httpx.get(f"{address}/health", timeout=60).status_code == 200
        output = httpx.post(f"{address}/rarr/invoke", json={"input": {"text": WRONG}}, timeout=60).json()["output"]
        assert output["text"] == RIGHT


@pytest.mark.parametrize("sent", [b"", b"GET / HTTP/1.1\r\nHost:", b"GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n"])
def test_a_header_that_does_not_come_is_not_waited_for(sent: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "HEADER_SECONDS", 0.2)
    with serving(api_key="") as address, socket.create_connection(place(address), timeout=60) as client:
        client.sendall(sent)
        with suppress(ConnectionResetError):
            while client.recv(10_000):
                pass


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


def test_a_client_that_goes_on_taking_a_long_response_gets_all_of_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "HEADER_SECONDS", 2.0)
    monkeypatch.setattr(connections, "LEAST_TAKEN", 1)
    length, taken = 40_000_000, 0

    async def long(scope: Any, receive: Any, send: Any) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"%d" % length)]})
        await send({"type": "http.response.body", "body": b"x" * length})

    with (
        serving(make=lambda _: long) as address,
        socket.create_connection(place(address), timeout=60) as client,
        suppress(ConnectionResetError),
    ):
        client.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
        while part := client.recv(200_000):
            taken += len(part)
            time.sleep(0.05 if taken < 20_000_000 else 0)
    assert taken > length


@pytest.mark.parametrize("key", ["", "sesame"])
def test_a_body_that_does_not_come_is_not_waited_for(key: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(traffic, "BODY_SECONDS", 0.2)
    monkeypatch.setattr("errata.apps.server.guards.FORM_SECONDS", 0.2)
    kind = b"application/x-www-form-urlencoded" if key else b"application/json"
    head = b"POST /rarr/invoke HTTP/1.1\r\nHost: localhost\r\nContent-Type: %s\r\nContent-Length: 900\r\n\r\nx"
    with serving(api_key=key) as address, socket.create_connection(place(address), timeout=60) as client:
        client.sendall(head % kind)
        assert client.recv(10_000).startswith(b"HTTP/1.1 401" if key else b"HTTP/1.1 408")


def test_requests_are_counted_and_noted_without_their_texts(stub: Stub, tmp_path: Path) -> None:
    audit = tmp_path / "audit.jsonl"
    keys = tmp_path / "keys.json"
    digest = hashlib.sha256(b"the key of bob").hexdigest()
    keys.write_text(json.dumps({"alice": {"key": "the key of alice"}, "bob": {"sha256": digest}}))
    defaults = asking(stub, input_price=1.0, output_price=2.0)
    operation = Operation(keys=str(keys), audit=str(audit), metrics=True)
    with serving(api_key="", defaults=defaults, operation=operation) as address:
        alice, bob = ({"X-API-Key": f"the key of {name}"} for name in ("alice", "bob"))
        assert post(address, headers=alice).status_code == 200
        assert httpx.post(f"{address}/rarr/invoke", json={}, headers=bob, timeout=60).status_code == 422
        assert post(address).status_code == 401
        httpx.get(f"{address}/a-secret-path", headers=bob)
        page = httpx.get(f"{address}/metrics", headers=bob).text
        assert httpx.get(f"{address}/metrics").status_code == 401
    lines = [json.loads(line) for line in audit.read_text().splitlines()]
    asked = len(stub.asks)
    seen = [(line["key"], line["method"], line["status"], line["llm_calls"]) for line in lines[:4]]
    assert seen == [("alice", "rarr", 200, asked), ("bob", "rarr", 422, 0), (None, "rarr", 401, 0), ("bob", "", 404, 0)]
    assert lines[0]["cost"] == pytest.approx((lines[0]["input_tokens"] + 2 * lines[0]["output_tokens"]) / 1e6)
    assert lines[0]["input_tokens"] > 0
    assert not any(word in audit.read_text() for word in ("Tower", "tower", "the key", "secret"))
    assert f'errata_model_calls_total{{method="rarr"}} {asked}.0' in page
    assert 'errata_requests_total{call="invoke",method="rarr",status="200"} 1.0' in page
    assert "errata_queue 0.0" in page


def test_a_key_has_its_quota(tmp_path: Path, stub: Stub) -> None:
    keys = tmp_path / "keys.json"
    quotas = {
        "alice": {"key": "the key of alice", "requests_per_day": 2},
        "bob": {"key": "bob's own", "calls_per_day": 1},
    }
    keys.write_text(json.dumps(quotas))
    with serving(api_key="", defaults=asking(stub), operation=Operation(keys=str(keys))) as address:
        for key, allowed in (("the key of alice", 2), ("bob's own", 1)):
            for _ in range(allowed):
                assert post(address, headers={"X-API-Key": key}).status_code == 200
            refused = post(address, "stream", headers={"X-API-Key": key})
            assert refused.status_code == 429
            assert "come back tomorrow" in refused.json()["detail"]
            assert 0 < int(refused.headers["retry-after"]) <= 86_401
            assert httpx.get(f"{address}/health", headers={"X-API-Key": key}).status_code == 200


def test_the_runs_of_a_batch_keep_to_a_few_at_once_and_their_order(stub: Stub) -> None:
    texts = [scripted.text(1 + number % 3) for number in range(20)]
    with serving(api_key="", defaults=asking(stub)) as address:
        answer = httpx.post(f"{address}/rarr/batch", json={"inputs": [{"text": text} for text in texts]}, timeout=120)
        assert [output["original"] for output in answer.json()["output"]] == texts
