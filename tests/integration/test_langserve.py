"""The server on a port, as its clients see it: LangServe's RemoteRunnable, a browser on another site."""

import asyncio
import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import httpx
import pytest
from langchain_core.runnables import RunnableLambda
from langserve import RemoteRunnable

from errata.apps.server.app import serve
from errata.state.errors import ConfigurationError

from ..canary import canary
from ..known import RIGHT, WRONG, known
from ..serving import serving


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    with serving(api_key="") as found:
        yield found


@contextmanager
def remote(address: str, **headers: str) -> Iterator[Any]:
    runnable: Any = RemoteRunnable(f"{address}/rarr/", headers=headers)
    try:
        yield runnable
    finally:
        runnable.sync_client.close()
        asyncio.run(runnable.async_client.aclose())


@pytest.fixture
def rarr(address: str) -> Iterator[Any]:
    with remote(address) as runnable:
        yield runnable


def settings(**configurable: Any) -> Any:
    return {"configurable": configurable}


def test_invoke(rarr: Any) -> None:
    result = rarr.invoke({"text": WRONG})
    assert (result["text"], len(result["edits"])) == (RIGHT, 2)


def test_invoke_with_settings(rarr: Any) -> None:
    result = rarr.invoke({"text": WRONG}, settings(max_edit_chars=2, thread_id="1"))
    assert [edit["applied"] for edit in result["edits"]] == [True, False]


def test_batch(rarr: Any) -> None:
    results = rarr.batch([{"text": WRONG}, {"text": RIGHT}], [settings(pages=1), settings(pages=2)])
    assert [len(result["edits"]) for result in results] == [2, 0]


def test_stream(rarr: Any) -> None:
    chunks = list(rarr.stream({"text": WRONG}))
    assert [chunk["step"] for chunk in chunks[:2]] == ["questions", "research"]
    assert chunks[-1]["text"] == RIGHT


def test_async(address: str) -> None:
    async def all_of_it() -> None:
        runnable: Any = RemoteRunnable(f"{address}/rarr/")
        try:
            assert (await runnable.ainvoke({"text": WRONG}))["text"] == RIGHT
            assert [result["text"] for result in await runnable.abatch([{"text": WRONG}])] == [RIGHT]
            assert [chunk async for chunk in runnable.astream({"text": WRONG})][-1]["text"] == RIGHT
            seen = [event async for event in runnable.astream_events({"text": WRONG}, version="v2")]
            assert seen[-1]["data"]["chunk"]["text"] == RIGHT
        finally:
            await runnable.async_client.aclose()
            runnable.sync_client.close()

    asyncio.run(all_of_it())


def test_in_a_pipe(rarr: Any) -> None:
    pipe = RunnableLambda(lambda text: {"text": text}) | rarr | (lambda result: result["text"])
    assert pipe.invoke(WRONG) == RIGHT


@pytest.mark.parametrize(
    ("given", "configurable", "complaint"),
    [
        ({"text": " "}, {}, "nothing to check"),
        ({"text": 5}, {}, "valid string"),
        ({"text": WRONG}, {"pages": 99}, "less than or equal to 20"),
        ({"text": WRONG}, {"sources": "/etc"}, "may not set `sources`"),
        ({"text": WRONG}, {"review": True}, "waits for a person"),
    ],
)
@pytest.mark.parametrize("call", ["invoke", "batch", "stream"])
def test_refusals_reach_the_client(rarr: Any, given: Any, configurable: Any, complaint: str, call: str) -> None:
    with pytest.raises(httpx.HTTPStatusError, match="422") as refused:
        list(getattr(rarr, call)([given] if call == "batch" else given, settings(**configurable)))
    if call != "stream":  # RemoteRunnable does not read the body of a stream that is refused
        assert complaint in str(refused.value)


CHAT = {"model": "openai:gpt-5-mini", "backends": {"queries": "chat"}}


@pytest.mark.parametrize("call", ["invoke", "batch", "stream", "stream_log", "stream_events"])
def test_the_key_of_the_server_goes_to_no_address_of_a_request(
    address: str, call: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-of-the-operator")
    with canary() as elsewhere:
        for model in (CHAT, {"model": f"openai:{elsewhere.address}"}):
            config = {"configurable": {**model, "base_url": elsewhere.address}}
            body = {"input": {"text": WRONG}, "inputs": [{"text": WRONG}], "config": config}
            answer = httpx.post(f"{address}/rarr/{call}", json=body)
            assert answer.status_code == 422
            assert "a request may not" in answer.text
        assert elsewhere.met == []


def test_an_address_of_a_request_that_the_operator_allows_gets_no_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-of-the-operator")
    monkeypatch.setenv("ERRATA_ALLOW_REQUEST_SETTINGS", "base_url")
    with serving(api_key="") as address, canary() as elsewhere:
        config = {"configurable": {**CHAT, "base_url": elsewhere.address}}
        httpx.post(f"{address}/rarr/invoke", json={"input": {"text": WRONG}, "config": config}, timeout=30)
        assert elsewhere.met
        assert "sk-of-the-operator" not in "".join(elsewhere.met)


def test_the_key() -> None:
    with serving(api_key="sesame") as address:
        with remote(address, **{"X-API-Key": "sesame"}) as known_client:
            assert known_client.invoke({"text": WRONG})["text"] == RIGHT
        with remote(address) as stranger, pytest.raises(httpx.HTTPStatusError, match="401"):
            stranger.invoke({"text": WRONG})


def test_a_body_without_a_length_is_bounded_too(address: str) -> None:
    chunks = (b"x" * 100_000 for _ in range(100))
    answer = httpx.post(f"{address}/rarr/invoke", content=chunks, headers={"content-type": "application/json"})
    assert answer.status_code == 413


def test_a_taken_port_is_named(address: str) -> None:
    port = int(address.rpartition(":")[2])
    with pytest.raises(ConfigurationError, match=f"port {port} of 127.0.0.1 is taken"):
        serve("127.0.0.1", port, known())


class TestTheCommand:
    """`errata serve`, or rather what it calls, in a process of its own."""

    CODE = "from errata.apps.server.app import serve; serve(port=0)"

    @pytest.fixture
    def running(self) -> Iterator[tuple[subprocess.Popen[str], str]]:
        environment = {name: value for name, value in os.environ.items() if name != "ERRATA_API_KEY"}
        process = subprocess.Popen(
            [sys.executable, "-c", self.CODE], stderr=subprocess.PIPE, text=True, env=environment
        )
        assert process.stderr
        try:
            yield process, process.stderr.readline().split()[2]
        finally:
            process.kill()
            process.communicate()

    def test_it_says_where_it_serves_and_ends_well(self, running: tuple[subprocess.Popen[str], str]) -> None:
        process, address = running
        assert httpx.get(f"{address}/health").json()["status"] == "ok"
        process.send_signal(signal.SIGINT)
        _, log = process.communicate(timeout=30)
        assert process.returncode == 0
        assert "Traceback" not in log

    def test_a_run_under_way_is_finished(self, running: tuple[subprocess.Popen[str], str]) -> None:
        process, address = running
        text = " ".join(f"The Eiffel Tower was completed in {year}." for year in range(1850, 1950))
        with httpx.stream("POST", f"{address}/rarr/stream", json={"input": {"text": text}}, timeout=60) as stream:
            lines = stream.iter_lines()
            next(lines)
            process.send_signal(signal.SIGTERM)
            assert json.loads([line for line in lines if line.startswith("data: ")][-1][6:])["original"] == text
        process.communicate(timeout=30)

    def test_another_name_for_this_machine_is_refused(self, running: tuple[subprocess.Popen[str], str]) -> None:
        _, address = running
        assert httpx.get(f"{address}/health", headers={"host": "evil.example"}).status_code == 400
