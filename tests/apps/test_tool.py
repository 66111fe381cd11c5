"""The tool that an agent calls."""

import pytest
from langchain_core.messages import ToolMessage

from errata.apps.tool import as_tool
from errata.graphs import METHODS
from errata.state.errors import ConfigurationError, ToolError

from ..known import RIGHT, WRONG, KnownSearch, known

CALL = {"type": "tool_call", "id": "1", "name": "correct_text", "args": {"text": WRONG, "question": "What of it?"}}


def test_an_agent_gets_the_text_and_the_caller_the_result() -> None:
    answer = as_tool(context=known()).invoke(CALL)
    assert isinstance(answer, ToolMessage)
    assert (answer.content, answer.status) == (RIGHT, "success")
    assert answer.artifact["original"] == WRONG
    assert len(answer.artifact["edits"]) == 2


async def test_async_face() -> None:
    answer = await as_tool(context=known()).ainvoke(CALL)
    assert (answer.content, answer.artifact["text"]) == (RIGHT, RIGHT)


def test_its_input_is_described() -> None:
    tool = as_tool()
    assert tool.name == "correct_text"
    assert METHODS["rarr"] in tool.description
    assert [field["description"] != "" for field in tool.args.values()] == [True, True]
    assert "default" not in tool.args["text"]


@pytest.mark.parametrize("text", ["", " \n"])
async def test_an_empty_text_is_told_to_the_agent(text: str) -> None:
    tool = as_tool(context=known())
    assert "the text is empty" in tool.invoke({"text": text})
    assert "the text is empty" in await tool.ainvoke({"text": text})


async def test_settings_that_cannot_work_are_told_to_the_agent() -> None:
    tool = as_tool(context=known(search="nowhere"))
    assert "nowhere" in tool.invoke({"text": WRONG})
    assert (await tool.ainvoke(CALL)).status == "error"


def test_an_agent_is_told_what_was_not_checked(monkeypatch: pytest.MonkeyPatch) -> None:
    async def down(*given: object) -> None:
        raise ToolError("the search is down")

    monkeypatch.setattr(KnownSearch, "search", down)
    answer = as_tool(context=known()).invoke(CALL)
    assert answer.content.startswith(WRONG)
    assert "Not checked through" in answer.content
    assert (answer.artifact["text"], answer.artifact["stopped"]) == (WRONG, "error")


def test_an_unknown_method_is_refused() -> None:
    with pytest.raises(ConfigurationError, match="no method"):
        as_tool("magic")
