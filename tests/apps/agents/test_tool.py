"""The tool that an agent calls."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import pytest
from langchain.agents import create_agent
from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
from langchain_core.messages import AIMessage, HumanMessage, ToolMessage
from langchain_core.runnables import Runnable

from errata import Context
from errata.apps.agents.tool import as_tool
from errata.graphs import METHODS, reading
from errata.state.errors import ConfigurationError, ToolError

from ...fakes import Rewriting, always
from ...known import RIGHT, WRONG, KnownSearch, known


class Agent(GenericFakeChatModel):
    """A chat model that says what it is told, tools or not."""

    def bind_tools(self, tools: Sequence[Any], **more: Any) -> Runnable[Any, Any]:
        return self


@dataclass
class App:
    """The context of somebody's agent."""

    user: str = "me"


CALL = {"type": "tool_call", "id": "1", "name": "correct_with_rarr", "args": {"text": WRONG, "question": "What of it?"}}


def test_an_agent_gets_the_text_and_the_caller_the_result() -> None:
    answer = as_tool(context=known()).invoke(CALL)
    assert isinstance(answer, ToolMessage)
    assert answer.text.startswith(f"{RIGHT}\n\n(Corrected; ")
    assert answer.status == "success"
    assert answer.artifact["original"] == WRONG
    assert len(answer.artifact["edits"]) == 2


async def test_async_face() -> None:
    answer = await as_tool(context=known()).ainvoke(CALL)
    assert answer.text.startswith(RIGHT)
    assert answer.artifact["text"] == RIGHT


def test_its_input_is_described() -> None:
    tool = as_tool()
    assert tool.name == "correct_with_rarr"
    assert METHODS["rarr"].about in tool.description
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
    assert answer.text.startswith(WRONG)
    assert "NOT CHECKED in full: " in answer.content
    assert (answer.artifact["text"], answer.artifact["stopped"]) == (WRONG, "error")


def test_an_unknown_method_is_refused() -> None:
    with pytest.raises(ConfigurationError, match="no method"):
        as_tool("magic")


@pytest.mark.parametrize("method", sorted(METHODS.keys() - {*reading("review"), "refchecker"}))
def test_a_method_that_checks_no_text_is_no_tool(method: str) -> None:
    with pytest.raises(ConfigurationError, match=f"`{method}` checks no text"):
        as_tool(method)


def test_a_tool_waits_for_nobody() -> None:
    with pytest.raises(ConfigurationError, match="cannot wait for a person"):
        as_tool(context=known(review=True))


def test_names_differ_and_may_be_given() -> None:
    tools = [
        *(as_tool(method) for method in (*reading("review"), "refchecker")),
        as_tool(name="check_facts", description="Do."),
    ]
    assert len({tool.name for tool in tools}) == len(tools)
    assert (tools[0].name, tools[-2].name) == ("correct_with_ground", "check_with_refchecker")
    assert (tools[-1].name, tools[-1].description) == ("check_facts", "Do.")


def say(evidence: str, says: str, **settings: object) -> Context:
    """A world where every piece of evidence comes to the same, and no edit is ever proposed."""
    told = "neutral" if not evidence else "contradiction" if evidence != says else "entailment"
    label = {"text_says": says, "evidence_says": evidence, "label": told}
    backends = {**known().backends, "agreement": always(label), "edit": Rewriting("1899", "1899")}
    return known(backends=backends, **settings)


@pytest.mark.parametrize(
    ("context", "said"),
    [
        (say("", ""), "(NOT CHECKED: "),
        (say("1889", "1899"), "(WRONG: "),
    ],
)
def test_an_agent_is_told_what_a_text_is_worth(context: Context, said: str) -> None:
    answer = as_tool(context=context).invoke(CALL)
    assert answer.text.startswith(f"{WRONG}\n\n{said}")
    assert ("Still wrong: " in answer.content) == ("WRONG" in said)


async def test_an_agent_has_several() -> None:
    says = [
        AIMessage("", tool_calls=[{"name": name, "args": {"text": WRONG}, "id": name}])
        for name in ("correct_with_rarr", "again")
    ]
    tools = [as_tool(context=known()), as_tool(context=known(), name="again")]
    agent = create_agent(Agent(messages=iter([*says, AIMessage("Done.")])), tools, context_schema=App)
    ended = await agent.ainvoke({"messages": [HumanMessage("Check it.")]}, context=App())
    told = [message.text for message in ended["messages"] if isinstance(message, ToolMessage)]
    assert [text.startswith(RIGHT) for text in told] == [True, True]
