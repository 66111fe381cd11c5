"""Canaries: keys and passwords that a provider repeats in its errors reach no file, stream, trace, log or report."""

import asyncio
import base64
import json
import logging
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from fastapi.testclient import TestClient
from langchain_core.tracers import BaseTracer
from langchain_core.tracers.schemas import Run
from langchain_openai import ChatOpenAI
from pydantic import SecretStr

from benchmarks.stub import Ask, Reply, Stub
from errata.apps.reports.report import render
from errata.apps.server import app as server
from errata.graphs import rarr
from errata.state import Context
from errata.state.runs.addresses import login
from errata.state.runs.kept import written
from errata.state.runs.secrets import redacted
from errata.tools import SearchError, search_tool

from ..canary import canary
from ..conftest import Errata

KEY = "sk-canary/9f8e7d6c+5b4a39281706=="
PASSWORD = "hunter2-canary:c0ffee@1b2d"
LOGIN = f"operator:{PASSWORD}"
TEXT = "The Eiffel Tower was completed in 1899."

# Connections that an event loop of a test leaves open are closed by the collector.
pytestmark = pytest.mark.filterwarnings("ignore:unclosed transport:ResourceWarning")


def b64(words: str) -> str:
    return base64.b64encode(words.encode()).decode()


ECHOES: dict[str, Callable[[str], str]] = {
    "whole": lambda sent: f"Incorrect API key provided: {KEY}. The password of operator is {PASSWORD}.",
    "masked": lambda sent: f"Incorrect API key provided: {KEY[:9]}********{KEY[-9:]}, {PASSWORD[:4]}***.",
    "url-encoded": lambda sent: f"GET /v1?key={quote(KEY, safe='')}&login={quote(LOGIN, safe='')} is forbidden",
    "hex": lambda sent: f"bad credentials {KEY.encode().hex()} {LOGIN.encode().hex().upper()}",
    "base64": lambda sent: f"bad credentials {b64(KEY)} {b64(LOGIN)} {b64(f'x:{KEY}')}",
    "headers": lambda sent: f"I got 'authorization': '{sent}' and Authorization: Bearer {KEY}",
    "escaped": lambda sent: json.dumps({"got": {"login": LOGIN, "key": KEY, "sent": sent}}),
}


def leaks(*texts: Any) -> list[str]:
    """What of a canary stands in some texts: ten characters of it, in any spelling."""
    words = " ".join(text if isinstance(text, str) else json.dumps(text, default=repr) for text in texts)
    spelled = [
        way(secret)
        for secret in (KEY, PASSWORD)
        for way in (
            str,
            b64,
            lambda each: each.encode().hex(),
            lambda each: quote(each, safe=""),
            lambda each: json.dumps(each)[1:-1],
        )
    ]
    parts = {each[start : start + 10] for each in (*spelled, b64(LOGIN)) for start in range(len(each) - 9)}
    return [part for part in parts if part in words]


@pytest.fixture
def stub(monkeypatch: pytest.MonkeyPatch) -> Iterator[Stub]:
    """A server that repeats what it was sent in a refusal, in every spelling."""
    monkeypatch.setenv("OPENAI_API_KEY", KEY)

    def answer(ask: Ask) -> Reply:
        message = " ".join(echo(ask.headers["authorization"]) for echo in ECHOES.values())
        return Reply(status=401, body=json.dumps({"error": {"message": message, "code": "invalid_api_key"}}).encode())

    with Stub(answer) as found:
        yield found


def with_login(address: str) -> str:
    return address.replace("http://", f"http://{quote(LOGIN.replace(':', '|', 1), safe='').replace('%7C', ':', 1)}@")


def settings(stub: Stub, **more: Any) -> Context:
    given: dict[str, Any] = {"model": "openai:stub", "base_url": with_login(stub.base_url), "retries": 0}
    return Context(**{**given, "cache": False, **more})


class Tracer(BaseTracer):
    """Keeps what a service of traces is sent."""

    def __init__(self) -> None:
        super().__init__()
        self.runs: list[str] = []

    def _persist_run(self, run: Run) -> None:
        self.runs.append(run.model_dump_json(fallback=repr) if hasattr(run, "model_dump_json") else repr(run))


async def test_no_result_trace_or_stream_has_one(stub: Stub, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    tracer = Tracer()
    context = settings(stub)
    result: Any = await rarr.graph.ainvoke({"text": TEXT}, {"callbacks": [tracer]}, context=context)
    assert result["stopped"] == "error"
    assert "401" in result["reason"]
    assert stub.asks[0].headers["authorization"] == f"Basic {b64(LOGIN)}", "who asks is still known to the server"
    events = [event async for event in rarr.graph.astream_events({"text": TEXT}, context=context, version="v2")]
    log = [patch async for patch in rarr.graph.astream_log({"text": TEXT}, context=context)]
    steps = [each async for each in rarr.graph.astream({"text": TEXT}, context=context, stream_mode="debug")]
    page = render(result, settings=written(context))
    assert tracer.runs
    assert not leaks(result, *tracer.runs, events, repr(log), steps, page, caplog.text)


async def test_a_model_of_the_callers_own_tells_nothing_either(stub: Stub) -> None:
    tracer = Tracer()
    model = ChatOpenAI(model="stub", base_url=stub.base_url, api_key=SecretStr(KEY), max_retries=0)
    context = Context(model=model, retries=0, cache=False)
    result: Any = await rarr.graph.ainvoke({"text": TEXT}, {"callbacks": [tracer]}, context=context)
    assert result["stopped"] == "error"
    keys = [part for part in leaks(result, *tracer.runs) if part in KEY]
    assert not keys


@pytest.mark.parametrize("call", ["invoke", "batch", "stream", "stream_log", "stream_events"])
def test_no_client_of_the_server_is_told_one(stub: Stub, call: str) -> None:
    app = server.create_app(settings(stub, searxng_url=with_login(stub.origin)), api_key="")
    body = {"input": {"text": TEXT}, "inputs": [{"text": TEXT}]}
    with TestClient(app, base_url="http://127.0.0.1") as client:
        told = client.post(f"/rarr/{call}", json=body)
        form = client.get("/rarr/config_schema")
    assert told.status_code == 200
    assert "401" in told.text
    assert not leaks(told.text, form.text)


def test_no_file_that_a_command_writes_has_one(errata: Errata, stub: Stub, tmp_path: Path) -> None:
    model = ("--model", "openai:stub", "--base-url", with_login(stub.base_url), "--set", "retries=0")
    (tmp_path / "rows.jsonl").write_text(json.dumps({"text": TEXT}) + "\n")
    files = [tmp_path / name for name in ("out.jsonl", "report.html", "run.sqlite")]
    said = [
        *errata("batch", "rarr", tmp_path / "rows.jsonl", "-o", files[0], *model),
        *errata("correct", TEXT, "--report", files[1], "--checkpoint", files[2], *model),
        *errata("correct", TEXT, "--json", "--base-url", "http//operator:" + quote(PASSWORD), "--model", "openai:stub"),
    ]
    kept = {path.name: path.read_bytes().decode("latin-1") for path in tmp_path.rglob("*") if path.is_file()}
    assert {"out.jsonl", "out.jsonl.journal", "report.html", "run.sqlite"} <= kept.keys()
    assert {name: found for name, text in kept.items() if (found := leaks(text))} == {}
    assert not leaks(*map(str, said))
    assert "127.0.0.1" in kept["out.jsonl.journal"], "where it was asked is told, and not as whom"


async def test_an_address_of_a_search_is_asked_with_its_password_and_tells_it_to_nobody(
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.DEBUG)
    with canary() as elsewhere:
        address = with_login(elsewhere.address)
        tool = search_tool(Context(search="searxng", searxng_url=address, cache=False))
        with pytest.raises(SearchError, match="unknown shape"):  # it is no search
            await tool.search("When was it completed?", 3)
    assert f"Basic {b64(LOGIN)}" in elsewhere.met[0]
    assert not leaks(caplog.text)


@pytest.mark.parametrize("echo", ECHOES.values(), ids=ECHOES)
def test_every_spelling_is_taken_out(echo: Callable[[str], str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    login(with_login("http://127.0.0.1"))
    told = echo(f"Basic {b64(LOGIN)}")
    assert leaks(told) or "***" in told
    assert not leaks(redacted(told))


@pytest.mark.parametrize("words", ["The request id is req_0123456789abcdef", "no key is needed", "See a*b and c**d"])
def test_other_words_stay(words: str) -> None:
    assert redacted(words) == words


def test_a_key_in_the_environment_is_called_by_its_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    assert redacted(f"the key {KEY} is wrong") == "the key $OPENAI_API_KEY is wrong"


def test_a_long_error_is_read_in_no_time() -> None:
    asyncio.run(asyncio.wait_for(asyncio.to_thread(redacted, f"{KEY} https://a:b@c ***** " * 100_000), 30))
