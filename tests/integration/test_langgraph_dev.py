"""The Agent Server, as Studio uses it: `langgraph dev` without a key and without a network, asked through its SDK."""

import json
import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from langgraph_sdk import get_sync_client
from langserve import RemoteRunnable

from errata.graphs import METHODS, load

from ..canary import Canary, canary
from ..reviewing import APPROVE, BY_RULES, REJECT, edited, proposed

ROOT = Path(__file__).parents[2]
TEXT = "The Eiffel Tower was completed in 1899."
FIXED = "The Eiffel Tower was completed in 1889."
SECRET = "sk-of-the-operator"


@pytest.fixture(scope="module")
def log(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("dev") / "log"


@pytest.fixture(scope="module")
def address(log: Path) -> Iterator[str]:
    """The server with the project's own `langgraph.json`, and the LangServe routes beside it."""
    home, port = log.parent, _free_port()
    config = json.loads((ROOT / "langgraph.json").read_text())
    (home / "langgraph.json").write_text(json.dumps({**config, "http": {"app": "errata.apps.server.app:app"}}))
    command = [sys.executable, "-m", "langgraph_cli", "dev", "--no-browser", "--no-reload", "--port", str(port)]
    with log.open("w") as out:
        process = subprocess.Popen(command, cwd=home, env=_environment(home), stdout=out, stderr=subprocess.STDOUT)
    try:
        _wait_for(f"http://127.0.0.1:{port}", process, log)
        yield f"http://127.0.0.1:{port}"
    finally:
        process.terminate()
        process.wait(30)


@pytest.fixture(scope="module")
def client(address: str) -> Iterator[Any]:
    with get_sync_client(url=address) as found:
        yield found


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as probe:
        return int(probe.getsockname()[1])


def _environment(home: Path) -> dict[str, str]:
    """No key of whoever runs the tests, no home of theirs, and nobody told."""
    return {
        "PATH": os.environ["PATH"],
        "HOME": str(home),
        "LANGSMITH_TRACING": "false",
        "LANGGRAPH_CLI_NO_ANALYTICS": "1",
        "OPENAI_API_KEY": SECRET,
        "ERRATA_SOURCES": str(_documents(home)),
    }


def _documents(home: Path) -> Path:
    """A folder that the operator has the server search in."""
    folder = home / "documents"
    folder.mkdir()
    (folder / "tower.md").write_text("# The Eiffel Tower\n\nThe Eiffel Tower was completed in 1889.\n")
    return folder


def _wait_for(address: str, process: subprocess.Popen[bytes], log: Path) -> None:
    for _ in range(240):
        assert process.poll() is None, log.read_text()[-3000:]
        try:
            if httpx.get(f"{address}/ok").is_success:
                return
        except httpx.TransportError:
            time.sleep(0.25)
    raise AssertionError(f"no answer within a minute: {log.read_text()[-3000:]}")


def test_every_graph_of_the_configuration_is_an_assistant(client: Any) -> None:
    graphs = json.loads((ROOT / "langgraph.json").read_text())["graphs"]
    assistants = {each["graph_id"]: each["description"] for each in client.assistants.search(limit=100)}
    assert assistants == {name: graph["description"] for name, graph in graphs.items()}
    assert graphs.keys() >= METHODS.keys()


@pytest.mark.parametrize("method", METHODS)
def test_the_settings_make_a_form(client: Any, method: str) -> None:
    (assistant,) = client.assistants.search(graph_id=method)
    schemas = client.assistants.get_schemas(assistant["assistant_id"])
    fields = schemas["context_schema"]["properties"]
    shown = {name: field for name, field in fields.items() if field.get("langgraph_type") == "prompt"}
    assert fields.keys() - shown.keys() == METHODS[method].reads
    assert shown.keys() == METHODS[method].prompt_fields.keys()
    nodes = client.assistants.get_graph(assistant["assistant_id"])["nodes"]
    for field in shown.values():
        assert field["type"] == "string"
        assert len(field["default"]) > 40
        assert set(field["langgraph_nodes"]) <= {node["id"] for node in nodes}
    assert all(field["description"] and field["group"] for field in fields.values())
    if method == "rarr":
        assert fields["gating"]["enum"] == ["serial", "speculative", "joint"]
        assert (fields["pages"]["minimum"], fields["pages"]["maximum"]) == (1, 20)
    assert "text" in schemas["input_schema"]["properties"]
    assert "edits" in schemas["output_schema"]["properties"]


def test_a_run(client: Any) -> None:
    result = client.runs.wait(None, "rarr", input={"text": TEXT})
    assert (result["text"], result["status"]) == (FIXED, "corrected")


def test_a_run_that_drafts_with_the_embedded_model(client: Any) -> None:
    result = client.runs.wait(None, "rarr", input={"question": "Where is it?"}, context={"draft": "direct"})
    assert result["original"]
    assert result["usage"]["llm_calls"] == 1


def test_settings_of_a_run(client: Any) -> None:
    result = client.runs.wait(None, "rarr", input={"text": TEXT}, context={"max_edit_share": 0.001})
    assert [edit["applied"] for edit in result["edits"]] == [False]


def test_a_form_in_which_no_prompt_was_changed_changes_nothing(client: Any) -> None:
    fields = load("rarr").get_context_jsonschema()["properties"]
    form = {name: field["default"] for name, field in fields.items() if field.get("langgraph_type") == "prompt"}
    assert {"agreement_prompt", "draft_prompt"} <= form.keys()
    thread = client.threads.create()["thread_id"]
    assert client.runs.wait(thread, "rarr", input={"text": TEXT}, context=form)["text"] == FIXED
    assert (
        client.threads.get_state(thread)["values"]["settings"]["values"].keys().isdisjoint({"prompts", "instructions"})
    )
    client.runs.wait(thread, "rarr", input={"text": TEXT}, context={**form, "edit_prompt": "Edit kindly."})
    kept = client.threads.get_state(thread)["values"]["settings"]["values"]
    assert kept["instructions"] == {"edit": "Edit kindly."}


def test_a_prompt_that_cannot_be_one_is_named(client: Any) -> None:
    with pytest.raises(Exception, match=r"`instructions.edit`: .* at most 20000 characters"):
        client.runs.wait(None, "rarr", input={"text": TEXT}, context={"edit_prompt": "x" * 20_001}, raise_error=True)


def test_settings_that_do_not_validate_are_named(client: Any) -> None:
    with pytest.raises(Exception, match=r"`pages`: .* less than or equal to 20, got 99"):
        client.runs.wait(None, "rarr", input={"text": TEXT}, context={"pages": 99}, raise_error=True)


@pytest.fixture(scope="module")
def elsewhere() -> Iterator[Canary]:
    with canary() as server:
        yield server


def hostile(elsewhere: Canary, folder: Path) -> dict[str, dict[str, Any]]:
    """Settings by which a request would have the key sent to it, or a folder read."""
    chat = {"model": "openai:gpt-5-mini", "base_url": elsewhere.address}
    return {
        "base_url": {**chat, "backends": {"queries": "chat"}},
        "searxng_url": {"search": "searxng", "searxng_url": elsewhere.address},
        "allow_private_addresses": {"allow_private_addresses": True},
        "sources": {"sources": str(folder)},
        "nli": {"nli": str(folder)},
        "allow_cpython": {"allow_cpython": True},
        "the model": {"model": f"litellm:openai/{elsewhere.address}"},
    }


@pytest.fixture(scope="module")
def private(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder that nobody may read through the server."""
    folder = tmp_path_factory.mktemp("private")
    (folder / "secret.txt").write_text("The Eiffel Tower was completed in 1777.")
    return folder


READER = {"nli": "refchecker", "allow_cpython": "critic_program"}
"""A method that reads the setting, where RARR does not. What a method does not read the server drops from a request."""
SETTINGS = ("base_url", "searxng_url", "allow_private_addresses", "sources", "nli", "allow_cpython", "the model")


@pytest.mark.parametrize("way", ["context", "configurable", "assistant"])
@pytest.mark.parametrize("setting", SETTINGS)
def test_a_request_makes_no_setting_of_the_operator_s(
    client: Any, elsewhere: Canary, private: Path, setting: str, way: str
) -> None:
    given = hostile(elsewhere, private)[setting]
    method = READER.get(setting, "rarr")
    assistant, settings = method, {"context": given}
    if way == "configurable":
        settings = {"config": {"configurable": given}}
    if way == "assistant":
        assistant, settings = client.assistants.create(method, context=given)["assistant_id"], {}
    answer = client.runs.wait(None, assistant, input={"text": TEXT}, raise_error=False, **settings)
    if way == "assistant":
        client.assistants.delete(assistant)
    assert answer["__error__"]["error"] == "ConfigurationError"
    assert "a request may not" in answer["__error__"]["message"]
    assert setting.split()[-1] in answer["__error__"]["message"]
    assert "1777" not in json.dumps(answer)
    assert elsewhere.met == []


def test_a_step_in_the_middle_refuses_them_too(client: Any, elsewhere: Canary, private: Path) -> None:
    """A request need not begin at the beginning."""
    thread = client.threads.create()["thread_id"]
    client.runs.wait(thread, "rarr", input={"text": TEXT})
    hostiles = hostile(elsewhere, private)
    for setting in hostiles.keys() - READER.keys():
        asked = {"command": {"goto": "questions"}, "context": hostiles[setting]}
        answer = client.runs.wait(thread, "rarr", raise_error=False, **asked)
        assert answer["__error__"]["error"] == "ConfigurationError"
    assert elsewhere.met == []


def test_what_a_request_writes_into_the_state_makes_them_neither(client: Any, elsewhere: Canary, private: Path) -> None:
    for setting in ("sources", "searxng_url"):
        thread = client.threads.create()["thread_id"]
        client.runs.wait(thread, "rarr", input={"text": TEXT})
        written = {"settings": {"values": hostile(elsewhere, private)[setting], "missing": {}}}
        client.threads.update_state(thread, values=written)
        answer = client.runs.wait(thread, "rarr", command={"goto": "questions", "update": written}, raise_error=False)
        assert "1777" not in json.dumps(answer)
    assert elsewhere.met == []


def test_the_operator_makes_them_by_environment(client: Any) -> None:
    found = client.runs.wait(None, "rarr", input={"text": TEXT})["evidence"]
    assert {piece["source"] for piece in found} == {"tower.md"}


def test_a_stream(client: Any) -> None:
    parts = list(client.runs.stream(None, "rarr", input={"text": TEXT}, stream_mode=["custom", "updates"]))
    assert "edit" in {part.data["step"] for part in parts if part.event == "custom"}
    updates = [name for part in parts if part.event == "updates" for name in part.data]
    assert (updates[0], updates[-1]) == ("begin", "attribute")


@pytest.mark.parametrize(
    ("answer", "text"),
    [
        (APPROVE, FIXED),
        (REJECT, TEXT),
        (edited("March 1889"), "The Eiffel Tower was completed in March 1889."),
    ],
)
def test_a_person_reviews(client: Any, answer: dict[str, Any], text: str) -> None:
    """Studio and other clients send no settings when they resume a run."""
    thread = client.threads.create()["thread_id"]
    paused = client.runs.wait(thread, "rarr", input={"text": TEXT}, context={"review": True})
    assert proposed(paused).after == "1889"
    assert client.threads.get(thread)["status"] == "interrupted"
    assert "documents" not in json.dumps(client.threads.get_state(thread)["values"]), "the server's folders are its own"
    paused = client.runs.wait(thread, "rarr", command={"resume": "hm"})
    assert "answer could not be used" in proposed(paused).lines
    assert client.runs.wait(thread, "rarr", command={"resume": answer})["text"] == text


@pytest.mark.parametrize(("answer", "wanted"), [(APPROVE, True), (REJECT, False)])
@pytest.mark.parametrize("method", BY_RULES)
def test_every_method_keeps_its_review(client: Any, method: str, answer: dict[str, Any], wanted: bool) -> None:
    given, _ = BY_RULES[method]
    thread = client.threads.create()["thread_id"]
    result = client.runs.wait(thread, method, input=given, context={"review": True})
    assert "__interrupt__" in result
    while "__interrupt__" in result:
        result = client.runs.wait(thread, method, command={"resume": answer}, context={"review": False})
    assert (result["text"] != given["text"]) == wanted


def test_langserve_answers_on_the_same_port(address: str) -> None:
    assert httpx.get(f"{address}/health").json()["methods"] == list(METHODS)
    assert httpx.get(f"{address}/rarr/playground/").is_success
    assert httpx.post(f"{address}/rarr/invoke", json={"input": {"text": " "}}).status_code == 422
    runnable: Any = RemoteRunnable(f"{address}/rarr/")
    with runnable.sync_client:
        assert runnable.invoke({"text": TEXT})["text"] == FIXED
        assert list(runnable.stream({"text": TEXT}))[-1]["text"] == FIXED


def test_no_step_blocked_the_event_loop(client: Any, log: Path) -> None:
    client.runs.wait(None, "rarr", input={"text": TEXT}, context={"cache": False})
    assert "Blocking" not in log.read_text()
