"""An agent's final answer, checked against what the agent has seen."""

import json
from collections.abc import Sequence
from typing import Any

import pytest
from langchain.agents import create_agent
from langchain_core.documents import Document
from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
from langchain_core.messages import AIMessage, AnyMessage, HumanMessage, ToolMessage
from langchain_core.runnables import Runnable
from langchain_core.tools import BaseTool, tool
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import END, START, MessagesState, StateGraph
from langgraph.types import Command
from pydantic import BaseModel

from errata.apps.agents.middleware import KEY, WITHHELD, CorrectFinalAnswer
from errata.apps.agents.seen import seen
from errata.state.errors import ConfigurationError

LEAFLET = "The Harbour Tower was completed in 1889. It stands in Linden."
FALSE = "The Harbour Tower was completed in 1899."
TRUE = "The Harbour Tower was completed in 1889."
ASKED: Any = {"messages": [HumanMessage("When was the Harbour Tower completed?")]}
THREAD: Any = {"configurable": {"thread_id": "1"}}
RULES = {"model": "embedded"}


class Scripted(GenericFakeChatModel):
    """A chat model that says what it is told, tools or not."""

    def bind_tools(self, tools: Sequence[Any], **more: Any) -> Runnable[Any, Any]:
        return self


@tool(response_format="content_and_artifact")
def look_up(name: str) -> tuple[str, list[Document]]:
    """Look something up in the leaflets."""
    return "1 leaflet", [Document(LEAFLET, metadata={"title": "Harbour Tower", "source": "https://harbour.example"})]


def looks(*names: str) -> AIMessage:
    calls = [{"name": "look_up", "args": {"name": name}, "id": f"c{n}"} for n, name in enumerate(names)]
    return AIMessage("", tool_calls=calls)


def agent(*says: AIMessage | str, tools: Sequence[BaseTool] = (look_up,), **more: Any) -> Any:
    """An agent that looks things up and says what it is told, and checks what it says by rules."""
    given = {"context": RULES, **more}
    said = [looks("tower"), *(AIMessage(one) if isinstance(one, str) else one for one in says)]
    model = Scripted(messages=iter(said), disable_streaming=True)  # its streams have no calls of tools
    checks = CorrectFinalAnswer(**{name: value for name, value in given.items() if name not in ("saver", "format")})
    return create_agent(
        model, list(tools), middleware=[checks], checkpointer=given.get("saver"), response_format=given.get("format")
    )


@pytest.fixture(params=[True, False], ids=["sync", "async"])
def sync(request: pytest.FixtureRequest) -> bool:
    return bool(request.param)


async def messages_of(of: Any, sync: bool, given: Any = ASKED, config: Any = None) -> list[AnyMessage]:
    ended = of.invoke(given, config) if sync else await of.ainvoke(given, config)
    messages: list[AnyMessage] = ended["messages"]
    return messages


async def test_the_answer_is_compared_with_what_the_tools_returned(sync: bool) -> None:
    last = (await messages_of(agent(FALSE), sync))[-1]
    note = last.response_metadata[KEY]
    assert (last.content, note["status"], note["usage"]["searches"]) == (TRUE, "corrected", 0)
    assert [piece["source"] for piece in note["evidence"]] == ["https://harbour.example"]
    (citation,) = note["citations"]
    assert (citation["url"], citation["cited_text"]) == ("https://harbour.example", TRUE)


def test_an_agent_that_has_seen_nothing_is_not_checked_against_anything_else() -> None:
    alone = create_agent(
        Scripted(messages=iter([AIMessage("The Eiffel Tower was completed in 1899.")])),
        middleware=[CorrectFinalAnswer(context=RULES)],
    )
    last = alone.invoke(ASKED)["messages"][-1]
    assert (last.text, last.response_metadata[KEY]["status"]) == (
        "The Eiffel Tower was completed in 1899.",
        "not checked",
    )


def test_a_search_goes_with_it_if_one_is_named() -> None:
    searches = {**RULES, "search": lambda query: ["The Eiffel Tower was completed in 1889."]}
    last = agent("The Eiffel Tower was completed in 1899.", context=searches).invoke(ASKED)["messages"][-1]
    assert last.text == "The Eiffel Tower was completed in 1889."


async def test_the_agent_s_own_model_checks(sync: bool) -> None:
    """Its third reply is the statement put right."""
    last = (await messages_of(agent(FALSE, TRUE, context={}), sync))[-1]
    assert (last.text, last.response_metadata[KEY]["usage"]["llm_calls"]) == (TRUE, 1)


async def test_annotations_are_citations_in_standard_blocks(sync: bool) -> None:
    last = (await messages_of(agent(f"{TRUE} It is lovely.", mode="annotate"), sync))[-1]
    assert isinstance(last, AIMessage)
    blocks: Any = last.content_blocks
    (block,) = blocks
    assert (last.text, block["type"]) == (f"{TRUE} It is lovely.", "text")
    (citation,) = block["annotations"]
    assert citation["type"] == "citation"
    assert last.text[citation["start_index"] : citation["end_index"]].strip() == TRUE


async def test_annotations_change_no_word() -> None:
    blocks: list[Any] = [{"type": "reasoning", "reasoning": "hm"}, {"type": "text", "text": "Well."}]
    said = AIMessage([*blocks, {"type": "text", "text": TRUE}, {"type": "text", "text": FALSE}])
    last = (await messages_of(agent(said, mode="annotate"), sync=False))[-1]
    note = last.response_metadata[KEY]
    shown: Any = last.content_blocks
    assert [block.get("text") for block in shown] == [None, "Well.", TRUE, FALSE]
    cited = {block["text"]: block["annotations"] for block in shown if "annotations" in block}
    assert [len(each) for each in cited.values()] == [0, 1, 0]
    assert cited[TRUE][0]["start_index"] == 0
    assert note["status"] == "unresolved"


def test_rarr_annotates_nothing() -> None:
    with pytest.raises(ConfigurationError, match="`rarr` cannot annotate: use ground or refchecker"):
        CorrectFinalAnswer("rarr", mode="annotate")


async def test_a_wrong_answer_goes_back_with_what_was_found(sync: bool) -> None:
    of = agent(FALSE, looks("tower again"), TRUE, mode="retry", saver=InMemorySaver())
    messages = await messages_of(of, sync, config=THREAD)
    assert [message.type for message in messages] == ["human", "ai", "tool", "ai", "tool", "ai"]
    assert (messages[-1].text, messages[-1].response_metadata[KEY]["edits"]) == (TRUE, [])


def test_the_findings_name_the_evidence() -> None:
    of = agent(FALSE, TRUE, mode="retry")
    sent = [
        message
        for update in of.stream(ASKED, stream_mode="updates")
        for values in update.values()
        for message in (values or {}).get("messages", ())
        if isinstance(message, HumanMessage)
    ]
    (findings,) = sent
    assert "1899 → 1889" in findings.text
    assert TRUE in findings.text


async def test_answers_are_sent_back_a_bounded_number_of_times_and_then_corrected(sync: bool) -> None:
    of = agent(FALSE, FALSE, FALSE, mode="retry", retries=2)
    messages = await messages_of(of, sync)
    assert [message.type for message in messages] == ["human", "ai", "tool", "ai"]
    assert messages[-1].text == TRUE


async def test_a_wrong_answer_is_blocked_and_a_right_one_is_not(sync: bool) -> None:
    blocked = (await messages_of(agent(FALSE, mode="block"), sync))[-1]
    assert (blocked.text, blocked.response_metadata[KEY]["blocked"]) == (WITHHELD, True)
    assert (await messages_of(agent(TRUE, mode="block"), sync))[-1].text == TRUE
    assert (await messages_of(agent(FALSE, mode="block", withheld="No."), sync))[-1].text == "No."


def test_it_works_twice_in_a_row() -> None:
    checks = [CorrectFinalAnswer(context=RULES, name=name, mode="retry") for name in ("first", "second")]
    says = [looks("tower"), AIMessage(FALSE), AIMessage(FALSE), AIMessage(FALSE)]
    twice = create_agent(Scripted(messages=iter(says)), [look_up], middleware=checks)
    messages = twice.invoke(ASKED)["messages"]
    note = messages[-1].response_metadata[KEY]
    assert ([message.type for message in messages], messages[-1].text) == (["human", "ai", "tool", "ai"], TRUE)
    assert (note["original"], note["previous"]["original"]) == (TRUE, FALSE)


async def test_it_streams() -> None:
    node = "correct_with_ground.after_agent"
    updates = [update async for update in agent(FALSE).astream(ASKED, stream_mode="updates")]
    assert updates[-1][node]["messages"][-1].text == TRUE
    secret = agent(FALSE, "Whispered.", context={})
    said = "".join([message.text async for message, _ in secret.astream(ASKED, stream_mode="messages")])
    assert FALSE in said
    assert "Whispered" not in said


class Height(BaseModel):
    """The height of a tower."""

    year: int


@pytest.mark.parametrize("by_tool", [True, False])
def test_a_structured_response_is_left_alone(by_tool: bool) -> None:
    from langchain.agents.structured_output import ProviderStrategy, ToolStrategy

    call = {"name": "Height", "args": {"year": 1899}, "id": "s"}
    says = AIMessage("", tool_calls=[call]) if by_tool else AIMessage(json.dumps({"year": 1899}))
    of = agent(says, format=ToolStrategy(Height) if by_tool else ProviderStrategy(Height))
    ended = of.invoke(ASKED)
    assert ended["structured_response"] == Height(year=1899)
    assert all(KEY not in message.response_metadata for message in ended["messages"])


def test_a_supervisor_s_agent_is_corrected() -> None:
    writer = agent(FALSE)
    writer.name = "writer"

    def supervisor(state: MessagesState) -> Command[Any]:
        done = any(isinstance(message, AIMessage) for message in state["messages"])
        return Command(goto=END if done else "writer")

    graph = StateGraph(MessagesState)
    graph.add_node("supervisor", supervisor, destinations=("writer", END))
    graph.add_node("writer", writer)
    graph.add_edge(START, "supervisor")
    graph.add_edge("writer", "supervisor")
    assert graph.compile().invoke(ASKED)["messages"][-1].text == TRUE


def answered(content: Any, args: dict[str, Any] | None = None, **more: Any) -> list[AnyMessage]:
    """A call of a tool, and what came of it."""
    call = {"name": "look_up", "args": args or {}, "id": "c"}
    return [AIMessage("", tool_calls=[call]), ToolMessage(content, tool_call_id="c", name="look_up", **more)]


def test_what_is_seen() -> None:
    def texts(messages: list[AnyMessage], tools: set[str] | None = None) -> list[str]:
        return [each["text"] for each in seen(messages, tools)]

    assert texts(answered(LEAFLET)) == [LEAFLET]
    assert texts(answered([{"type": "text", "text": LEAFLET}])) == [LEAFLET]
    assert texts(answered("1 leaflet", artifact=[Document(LEAFLET)])) == [LEAFLET]
    assert texts(answered(json.dumps({"price": 5}))) == ['{"price": 5}']
    assert texts(answered(LEAFLET), {"another"}) == []
    assert texts(answered("boom", status="error")) == []
    assert seen(answered(LEAFLET))[0]["source"] == "tool look_up"


def test_what_an_agent_only_said_to_a_tool_is_no_evidence() -> None:
    todo = answered(f"Updated the list to: {FALSE}", {"todos": [{"content": FALSE}]})
    assert not any("1899" in each["text"] for each in seen(todo))
    checked = {"text": FALSE, "evidence": [{"id": "e", "text": LEAFLET, "title": "", "source": "s"}]}
    assert [each["text"] for each in seen(answered(FALSE, artifact=checked))] == [LEAFLET]
