"""The MCP server, asked by the SDK's own client in memory: what it offers, refuses, and says of failures."""

import asyncio
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from langchain_core.runnables import RunnableLambda
from mcp import ClientSession
from mcp.shared.memory import create_connected_server_and_client_session
from mcp.types import CallToolResult, TextContent

from errata import Context
from errata.apps.mcp import tools
from errata.apps.mcp.server import create_server
from errata.apps.server.app import Operation
from errata.state import operator_fields
from errata.state.errors import ConfigurationError, ModelError

from ..conftest import Errata
from ..known import MISTAKES, RIGHT, WRONG, known


@asynccontextmanager
async def client(defaults: Context | None = None, operation: Operation | None = None) -> AsyncIterator[ClientSession]:
    server = create_server(defaults or known(), operation or Operation())
    async with create_connected_server_and_client_session(server) as session:
        yield session


def said(answer: CallToolResult) -> str:
    (content,) = answer.content
    assert isinstance(content, TextContent)
    return content.text


async def refusal(tool: str, defaults: Context | None = None, **arguments: Any) -> str:
    async with client(defaults) as session:
        answer = await session.call_tool(tool, arguments)
    assert answer.isError
    assert answer.structuredContent is None
    return said(answer)


async def test_tools_and_their_arguments_are_described() -> None:
    async with client() as session:
        offered = {tool.name: tool for tool in (await session.list_tools()).tools}
    assert list(offered) == ["correct_text", "check_text", "ask"]
    for tool in offered.values():
        assert tool.description
        assert all(each.get("description") for each in tool.inputSchema["properties"].values())
        assert {"text", "status", "stopped", "reason"} <= {*(tool.outputSchema or {})["required"]}
    assert offered["correct_text"].inputSchema["required"] == ["text"]
    assert {"ground", "rarr"} <= {*offered["correct_text"].inputSchema["properties"]["method"]["enum"]}
    assert "rarr: " in offered["ask"].inputSchema["properties"]["method"]["description"]


async def test_a_text_is_corrected_and_each_change_has_its_source() -> None:
    steps: list[str | None] = []

    async def note(progress: float, total: float | None, message: str | None) -> None:
        assert progress == len(steps) + 1
        steps.append(message)

    async with client() as session:
        answer = await session.call_tool("correct_text", {"text": WRONG}, progress_callback=note)
    found = answer.structuredContent or {}
    assert (found["text"], found["status"], found["stopped"]) == (RIGHT, "corrected", "finished")
    assert [(change["before"], change["after"]) for change in found["changes"]] == [("1899", "1889"), ("Lyon", "Paris")]
    source = {"title": "The tower", "source": "known:tower", "quote": "It was built in 1889."}
    assert found["changes"][0]["sources"] == [source]
    assert [part["status"] for part in found["citations"]] == ["corrected", "corrected"]
    assert found["unresolved"] == []
    assert found.keys().isdisjoint({"evidence", "verdicts", "settings", "failures"})
    assert {"questions", "edit"} <= {*steps}


async def test_what_stays_wrong_is_told() -> None:
    async with client(known(max_edit_chars=2)) as session:
        found = (await session.call_tool("correct_text", {"text": WRONG})).structuredContent or {}
    assert found["status"] == "unresolved"
    assert [wrong["sentence"] for wrong in found["unresolved"]] == ["It stands in Lyon."]


async def test_a_text_is_checked_against_the_client_s_references() -> None:
    arguments = {"text": WRONG, "references": [RIGHT, {"text": "Beside.", "title": "A note"}]}
    async with client(known(backends={"check": "rules"})) as session:
        found = (await session.call_tool("check_text", arguments)).structuredContent or {}
    assert (found["text"], found["status"]) == (WRONG, "unresolved")
    assert [claim["label"] for claim in found["claims"]] == ["contradiction", "contradiction"]
    assert "1889" in found["claims"][0]["sources"][0]["quote"]


async def test_a_question_is_answered_and_the_answer_corrected() -> None:
    async with client() as session:
        found = (await session.call_tool("ask", {"question": "What of the tower?"})).structuredContent or {}
    assert (found["text"], found["status"]) == (RIGHT, "corrected")


async def test_settings_of_a_request_hold() -> None:
    async with client() as session:
        arguments = {"text": WRONG, "settings": {"max_edit_chars": 4}}
        found = (await session.call_tool("correct_text", arguments)).structuredContent or {}
    assert [change["before"] for change in found["changes"]] == ["1899"]


@pytest.mark.parametrize("setting", sorted(operator_fields()))
async def test_no_request_makes_a_setting_of_the_operator_s(setting: str) -> None:
    default = Context.model_fields[setting].default
    value = not default if isinstance(default, bool) else 3.5 if setting.endswith("_price") else "http://e.example"
    assert f"may not set `{setting}`" in await refusal("correct_text", text=WRONG, settings={setting: value})


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        ({"base_url": "http://e.example"}, "no argument 'base_url': use text, question, method, references, settings"),
        ({"settings": {"pages": 21}}, "`pages`"),
        ({"settings": {"deadline": 1e9}}, "allows at most 600"),
        ({"settings": {"review": True}}, "waits for a person"),
        ({"settings": {"model": "http://e.example/model"}}, "without address or path"),
        ({"settings": {"consolidations": 2}}, "does not read"),
        ({"settings": {"thread_id": "1", "checkpoint_ns": "x"}}, "there is no setting"),
        ({"settings": {"__pregel_read": 1}}, "there is no setting"),
        ({"settings": {"\x1b[2J\u202e": 1}}, "there is no setting"),
        ({"settings": "pages=3"}, "argument `settings`"),
        ({"text": "word " * 40_001}, "max_chars allows 200,000"),
        ({"text": " \n"}, "empty"),
        ({"text": 5}, "argument `text`"),
        ({"text": " ", "question": "Who?"}, "the text is empty"),
        ({"references": [5]}, "argument `references`"),
        ({"method": "refchecker"}, "use ground, rarr"),
        ({"method": "critic_program\x1b[2J"}, "use ground, rarr"),
    ],
)
async def test_what_cannot_be_run_is_refused_in_one_line(arguments: dict[str, Any], why: str) -> None:
    words = await refusal("correct_text", **{"text": WRONG, **arguments})
    assert why in words
    assert words.isprintable()
    assert len(words) < 5_000


@pytest.mark.parametrize(
    "arguments", [{"settings": {"deadline": float("nan")}}, {"settings": {"\ud800": 1}}, {"text": "a\ud800b"}]
)
async def test_what_no_json_can_hold_is_refused(arguments: dict[str, Any]) -> None:
    with pytest.raises(ConfigurationError, match="not JSON"):
        await tools.call("correct_text", {"text": WRONG, **arguments}, known(), lambda step: asyncio.sleep(0))


async def test_an_unknown_tool_is_refused() -> None:
    words = await refusal("delete\x1b[2J")
    assert "use correct_text, check_text, ask" in words
    assert words.isprintable()


async def test_a_ceiling_of_the_operator_s_holds(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ERRATA_CEILINGS", "pages=3")
    assert "allows at most 3" in await refusal("correct_text", text=WRONG, settings={"pages": 4})


async def test_an_outage_is_an_error_and_no_verdict(monkeypatch: pytest.MonkeyPatch) -> None:
    async def down(asked: dict[str, Any]) -> dict[str, Any]:
        raise ModelError("the model cannot be reached")

    world = known()
    async with client(known(backends={**world.backends, "agreement": RunnableLambda(down)})) as session:
        answer = await session.call_tool("correct_text", {"text": WRONG})
    found = answer.structuredContent or {}
    assert (found["text"], found["status"], found["stopped"]) == (WRONG, "not checked", "error")
    assert "cannot be reached" in found["reason"]
    assert {part["status"] for part in found["citations"]} == {"not checked"}
    assert found["changes"] == []


async def test_a_crash_tells_the_client_no_secret(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-a-key-that-nobody-may-see")

    async def crash(*given: Any, **more: Any) -> Any:
        raise ValueError("called with sk-a-key-that-nobody-may-see")

    monkeypatch.setattr("errata.apps.mcp.tools.in_thread", crash)
    words = await refusal("correct_text", text=WRONG)
    assert "nobody-may-see" not in words
    assert "ValueError" in words


async def test_too_much_at_once_is_turned_away_and_may_come_again() -> None:
    begun, go_on = asyncio.Event(), asyncio.Event()

    async def slow(asked: dict[str, Any]) -> dict[str, Any]:
        begun.set()
        await go_on.wait()
        return {"queries": list(MISTAKES)}

    world = known()
    defaults = known(backends={**world.backends, "queries": RunnableLambda(slow)})
    async with client(defaults, Operation(runs=1, waiting=0)) as session:
        first = asyncio.create_task(session.call_tool("correct_text", {"text": WRONG}))
        await begun.wait()
        second = await session.call_tool("correct_text", {"text": WRONG})
        assert second.isError
        assert "busy" in said(second)
        go_on.set()
        assert not (await first).isError
        assert not (await session.call_tool("correct_text", {"text": WRONG})).isError


def test_a_server_that_nobody_reviews_for_does_not_start() -> None:
    with pytest.raises(ConfigurationError, match="review"):
        create_server(known(review=True), Operation())


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (["--port", "8001"], "go with --http"),
        (["--http", "--host", "0.0.0.0"], "others can reach the server: set a key"),
        (["--sources", "nowhere-at-all"], "nowhere-at-all"),
    ],
)
def test_what_cannot_be_served_is_one_line(errata: Errata, arguments: list[str], why: str) -> None:
    code, out, err = errata("mcp", *arguments)
    assert (code, out) == (2, "")
    assert why in err
    assert err.count("\n") == 1


def test_without_the_package_one_line_says_what_to_install(errata: Errata, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in sys.modules if name.partition(".")[0] == "mcp" or name == "errata.apps.mcp.server"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "mcp", None)
    code, out, err = errata("mcp")
    assert (code, out) == (2, "")
    assert "pip install 'errata[mcp]'" in err
    assert err.count("\n") == 1
