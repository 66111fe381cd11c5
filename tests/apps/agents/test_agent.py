"""A method that takes messages and replies with one."""

from typing import Any

import pytest
from langchain_core.messages import AIMessage, AnyMessage, HumanMessage, ToolMessage
from langgraph.graph import START, MessagesState, StateGraph

from errata import as_agent
from errata.apps.agents.middleware import KEY
from errata.state.errors import ConfigurationError

from ...fakes import FakeChatModel
from ...known import RIGHT, WRONG, known

LEAFLET = "The Harbour Tower was completed in 1889."
FALSE = "The Harbour Tower was completed in 1899."
HANDOFF = {"name": "transfer_to_checker", "args": {}, "id": "h"}


def say(method: str, *messages: AnyMessage, **more: Any) -> AIMessage:
    ended = as_agent(method, **more).invoke({"messages": list(messages)})
    reply = ended["messages"][-1]
    assert isinstance(reply, AIMessage)
    assert len(ended["messages"]) == len(messages) + 1
    return reply


def test_the_answer_of_another_agent_is_corrected() -> None:
    handed_over: list[AnyMessage] = [
        AIMessage("", tool_calls=[HANDOFF]),
        ToolMessage("Successfully transferred to checker", tool_call_id="h", name="transfer_to_checker"),
    ]
    reply = say("rarr", HumanMessage("What of it?"), AIMessage(WRONG), *handed_over, context=known(), name="checker")
    assert (reply.name, reply.text.splitlines()[0]) == ("checker", RIGHT)
    assert "(Corrected; " in reply.text
    assert reply.response_metadata[KEY]["original"] == WRONG
    assert {citation["start_index"] for citation in reply.response_metadata[KEY]["citations"]} == {0, 29}


def test_a_person_s_text_is_corrected_also_after_another() -> None:
    reply = say("rarr", HumanMessage("Hello"), AIMessage("Hello!"), HumanMessage(WRONG), context=known())
    assert reply.response_metadata[KEY]["original"] == WRONG
    assert reply.name == "correct_with_rarr"


async def test_what_tools_returned_is_evidence() -> None:
    looked = AIMessage("", tool_calls=[{"name": "look_up", "args": {}, "id": "c"}])
    said: list[AnyMessage] = [looked, ToolMessage(LEAFLET, tool_call_id="c", name="look_up"), AIMessage(FALSE)]
    ended = await as_agent().ainvoke({"messages": said})
    assert ended["messages"][-1].text.splitlines()[0] == LEAFLET


def test_claims_are_told_one_by_one() -> None:
    looked = AIMessage("", tool_calls=[{"name": "look_up", "args": {}, "id": "c"}])
    reply = say("refchecker", looked, ToolMessage(LEAFLET, tool_call_id="c", name="look_up"), AIMessage(FALSE))
    assert reply.text.startswith("- contradiction: The Harbour Tower")


def test_a_user_is_answered() -> None:
    context = {"model": FakeChatModel(replies=["It was completed in 1889."]), "search": lambda query: [LEAFLET]}
    given = {**context, "backends": {"search_queries": "rules"}}
    reply = say("llm_augmenter", HumanMessage("When was the Harbour Tower completed?"), context=given)
    assert reply.text == "It was completed in 1889."


def test_it_is_a_node_of_a_graph() -> None:
    team = StateGraph(MessagesState)
    team.add_node("checker", as_agent("rarr", known()))
    team.add_edge(START, "checker")
    ended = team.compile().invoke({"messages": [AIMessage(WRONG)]})
    assert ended["messages"][-1].text.splitlines()[0] == RIGHT


def test_what_cannot_work_is_told() -> None:
    with pytest.raises(ConfigurationError, match="there is no method `magic`"):
        as_agent("magic")
    with pytest.raises(ConfigurationError, match="does not read the setting `rounds`"):
        as_agent("rarr", {"rounds": 3})
    with pytest.raises(ConfigurationError, match="there is no message to check"):
        as_agent("rarr").invoke({"messages": []})
