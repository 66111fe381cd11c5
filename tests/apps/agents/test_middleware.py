"""Correcting an agent's final answer."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from langchain.agents import create_agent
from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
from langchain_core.messages import AIMessage, AnyMessage, HumanMessage
from langchain_core.runnables import Runnable, RunnableLambda
from langchain_core.tools import tool
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Command

from errata import Context
from errata.apps.agents.blocks import with_text
from errata.apps.agents.middleware import KEY, CorrectFinalAnswer
from errata.graphs import load, rarr
from errata.state.errors import ConfigurationError

from ...fakes import always
from ...known import RIGHT, WRONG, known
from ...reviewing import REJECT, edited, proposed


@dataclass
class Theirs:
    """The context of somebody's agent."""

    model: str = "their own"


ASKED = {"messages": [HumanMessage("What of the tower?")]}
THREAD: Any = {"configurable": {"thread_id": "1"}}


class Scripted(GenericFakeChatModel):
    """A chat model that says what it is told, tools or not."""

    def bind_tools(self, tools: Sequence[Any], **more: Any) -> Runnable[Any, Any]:
        return self


def agent(*says: AIMessage, saver: Any = None, context: Any = None, tools: Sequence[Any] = ()) -> Any:
    corrects = CorrectFinalAnswer(rarr.graph, context or known())
    return create_agent(Scripted(messages=iter(says)), list(tools), middleware=[corrects], checkpointer=saver)


async def answers(of: Any, sync: bool, given: Any = ASKED, config: Any = None) -> dict[str, Any]:
    return of.invoke(given, config) if sync else await of.ainvoke(given, config)  # type: ignore[no-any-return]


@pytest.fixture(params=[True, False], ids=["sync", "async"])
def sync(request: pytest.FixtureRequest) -> bool:
    return bool(request.param)


async def test_the_answer_is_corrected_in_place(sync: bool) -> None:
    said = AIMessage(WRONG, id="a1", response_metadata={"model_name": "scripted"})
    messages = (await answers(agent(said), sync))["messages"]
    assert [message.id for message in messages[1:]] == ["a1"]
    assert messages[-1].content == RIGHT
    assert messages[-1].response_metadata["model_name"] == "scripted"
    note = messages[-1].response_metadata[KEY]
    assert (note["original"], note["text"], len(note["edits"]), len(note["evidence"])) == (WRONG, RIGHT, 2, 2)


@pytest.mark.parametrize("given", [{"mode": "bloc"}, {"retries": -1}])
def test_a_mode_that_does_not_exist_is_refused(given: Any) -> None:
    with pytest.raises(ConfigurationError, match="mode is one of correct, annotate, retry, block"):
        CorrectFinalAnswer(rarr.graph, known(), **given)


async def test_the_user_s_last_question_goes_along() -> None:
    seen: list[str] = []

    async def queries(asked: dict[str, Any]) -> dict[str, Any]:
        seen.append(asked["question"])
        return {"queries": []}

    context = known(backends={"queries": RunnableLambda(queries)}, question_rounds=1)
    first: list[AnyMessage] = [HumanMessage("Hello"), AIMessage("Hello!")]
    await agent(AIMessage(WRONG), context=context).ainvoke({"messages": [*first, *ASKED["messages"]]})
    assert seen == ["What of the tower?"]


async def test_a_right_answer_stays_and_says_so() -> None:
    last = (await agent(AIMessage(RIGHT)).ainvoke(ASKED))["messages"][-1]
    assert last.content == RIGHT
    assert last.response_metadata[KEY]["status"] in ("checked", "unchanged")


async def test_blocks_that_are_no_text_are_kept() -> None:
    thinking = {"type": "reasoning", "reasoning": "hm"}
    said = AIMessage([thinking, {"type": "text", "text": WRONG}])
    last = (await agent(said).ainvoke(ASKED))["messages"][-1]
    assert last.content == [thinking, {"type": "text", "text": RIGHT}]


@pytest.mark.parametrize(
    "messages",
    [
        [],
        [HumanMessage(WRONG)],
        [AIMessage("")],
        [AIMessage(WRONG, tool_calls=[{"name": "look", "args": {}, "id": "1"}])],
    ],
)
async def test_what_is_no_final_answer_is_left_alone(messages: list[AnyMessage]) -> None:
    corrects = CorrectFinalAnswer(rarr.graph, known())
    assert corrects.after_agent({"messages": messages}, None) is None  # type: ignore[arg-type]
    assert await corrects.aafter_agent({"messages": messages}, None) is None  # type: ignore[arg-type]


async def test_only_the_last_answer_is_corrected(sync: bool) -> None:
    @tool
    def look() -> str:
        """Look."""
        return "looked"

    calls = AIMessage(WRONG, tool_calls=[{"name": "look", "args": {}, "id": "1"}])
    messages = (await answers(agent(calls, AIMessage(WRONG), tools=[look]), sync))["messages"]
    assert [message.text for message in messages[1:]] == [WRONG, "looked", RIGHT]


async def test_a_failure_leaves_the_answer_and_says_so(sync: bool, caplog: pytest.LogCaptureFixture) -> None:
    breaks = known(backends={**known().backends, "rank": always(ConfigurationError("its folder is gone"))})
    last = (await answers(agent(AIMessage(WRONG), context=breaks), sync))["messages"][-1]
    assert last.content == WRONG
    assert last.response_metadata[KEY]["error"]
    assert "not corrected" in caplog.text


async def test_the_note_survives_a_checkpoint(sync: bool) -> None:
    kept = agent(AIMessage(WRONG), saver=InMemorySaver())
    result = await answers(kept, sync, config=THREAD)
    assert kept.get_state(THREAD).values["messages"][-1] == result["messages"][-1]


async def test_a_person_reviews_through_the_agent_s_checkpointer(sync: bool) -> None:
    reviewed = agent(AIMessage(WRONG), AIMessage(WRONG), saver=InMemorySaver(), context=known(review=True))
    paused = await answers(reviewed, sync, config=THREAD)
    assert proposed(paused).after == "1889"
    paused = await answers(reviewed, sync, Command(resume=REJECT), THREAD)
    assert proposed(paused).after == "Paris"
    done = await answers(reviewed, sync, Command(resume=edited("Paris, France")), THREAD)
    assert done["messages"][-1].content == "The tower was built in 1899. It stands in Paris, France."
    assert len(done["messages"]) == 2
    # The next turn of the same thread is reviewed afresh.
    paused = await answers(reviewed, sync, config=THREAD)
    assert proposed(paused).after == "1889"


async def test_the_method_s_model_stays_out_of_the_stream_of_messages() -> None:
    thinks = Scripted(messages=iter([AIMessage("thinking aloud")] * 3))

    async def queries(asked: dict[str, Any]) -> dict[str, Any]:
        await thinks.ainvoke("questions?")
        return {"queries": []}

    streaming = agent(AIMessage(WRONG), context=known(backends={"queries": RunnableLambda(queries)}))
    said = [part async for part in streaming.astream(ASKED, stream_mode="messages", subgraphs=True)]
    assert not any("thinking" in message.text for _, (message, _) in said)


def test_settings_may_be_a_dict_and_are_checked() -> None:
    assert CorrectFinalAnswer(rarr.graph, {"pages": 2}).context == Context(pages=2)
    with pytest.raises(ConfigurationError, match="setting `pages`"):
        CorrectFinalAnswer(rarr.graph, {"pages": 99})


async def test_blocks_of_text_are_read_apart_and_corrected_each_in_its_place() -> None:
    thinking = {"type": "reasoning", "reasoning": "hm"}
    blocks: list[Any] = [
        {"type": "text", "text": "The tower was built in 1899.", "id": "b1"},
        thinking,
        "It stands in Lyon.",
        {"type": "text", "text": "Ask for more."},
    ]
    last = (await agent(AIMessage(blocks)).ainvoke(ASKED))["messages"][-1]
    assert last.response_metadata[KEY]["original"] == "The tower was built in 1899.\nIt stands in Lyon.\nAsk for more."
    assert last.content == [
        {"type": "text", "text": "The tower was built in 1889.", "id": "b1"},
        thinking,
        "It stands in Paris.",
        {"type": "text", "text": "Ask for more."},
    ]


def test_an_edit_across_blocks_goes_into_the_first_of_them() -> None:
    edit: Any = {"before": "1899.\nIt", "after": "1889. It", "start": 9, "end": 17, "applied": True}
    result: Any = {"original": "Built in 1899.\nIt stands.", "text": "Built in 1889. It stands.", "edits": [edit]}
    assert with_text([{"type": "text", "text": "Built in 1899."}, "It stands."], result) == [
        {"type": "text", "text": "Built in 1889. It"},
        " stands.",
    ]


@given(st.lists(st.text(min_size=1), min_size=1), st.data())
def test_blocks_lose_nothing(blocks: list[str], data: st.DataObject) -> None:
    original = "\n".join(blocks)
    start = data.draw(st.integers(0, len(original)))
    end = data.draw(st.integers(start, len(original)))
    edit: Any = {"before": original[start:end], "after": "§", "start": start, "end": end, "applied": True}
    text = original[:start] + "§" + original[end:]
    result: Any = {"original": original, "text": text, "edits": [edit]}
    kept = with_text(list(blocks), result)
    assert "".join(kept).replace("\n", "") == text.replace("\n", "")
    if start == end:
        assert "\n".join(kept) == text


def test_settings_that_cannot_work_are_told_when_it_is_made(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TAVILY_API_KEY", raising=False)
    with pytest.raises(ConfigurationError, match="TAVILY_API_KEY"):
        CorrectFinalAnswer(context={"search": "tavily"})
    with pytest.raises(ConfigurationError, match="`cross_encoder`"):
        CorrectFinalAnswer(context={"backends": {"rank": "cross_encoder"}})
    with pytest.raises(ConfigurationError, match="nowhere"):
        CorrectFinalAnswer(context=known(search="nowhere"))


async def test_an_agent_with_a_context_of_its_own_has_two(sync: bool) -> None:
    first = CorrectFinalAnswer(rarr.graph, known())
    second = CorrectFinalAnswer("rarr", known(), name="again")
    assert (first.name, second.name) == ("correct_with_rarr", "again")
    corrects: Any = create_agent(
        Scripted(messages=iter([AIMessage(WRONG)])), [], middleware=[first, second], context_schema=Theirs
    )
    given: Any = {"messages": [HumanMessage("What of the tower?")]}
    ended = corrects.invoke(given, context=Theirs()) if sync else await corrects.ainvoke(given, context=Theirs())
    note = ended["messages"][-1].response_metadata[KEY]
    assert ended["messages"][-1].content == RIGHT
    assert (note["previous"]["original"], note["original"]) == (WRONG, RIGHT)


def test_two_methods_need_no_names() -> None:
    names = [CorrectFinalAnswer(load(method), known()).name for method in ("rarr", "purr", "critic")]
    assert names == ["correct_with_rarr", "correct_with_purr", "correct_with_critic"]
