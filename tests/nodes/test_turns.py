"""Turns of a model with tools: what it is offered, and how its turns end."""

from typing import Any

import pytest
from langchain_core.messages import AIMessage

from errata.models.tasks.critic import CONCLUDE, QA_CRITIQUE
from errata.nodes.turns import asks_for_tool, conclusion, next_turn
from errata.state import Context
from errata.state.errors import ModelError

from ..fakes import Scripted
from .states import loop

LOOK = {"tool": "search", "argument": "tower built", "thought": "A year."}
DONE = {"tool": CONCLUDE, "conclusion": {"text": "So the answer is: 1889.", "accepted": False}}


def critic(*outputs: Any, **bounds: Any) -> tuple[Scripted, Context]:
    model = Scripted(*outputs)
    return model, Context(backends={"qa_critique": model}, **bounds)


async def turn(context: Context, *queries: str, tools: tuple[str, ...] = ("search",)) -> Any:
    """The next turn after the model has searched for `queries`."""
    turns = [AIMessage("", tool_calls=[{"name": "search", "args": {"query": query}, "id": ""}]) for query in queries]
    asked = loop(question="When?", text="In 1899.", messages=turns)
    return await next_turn(asked, context, QA_CRITIQUE, tools)


async def test_a_turn_is_a_message_that_calls_one_tool() -> None:
    model, context = critic(LOOK)
    said = await turn(context)
    assert asks_for_tool(said)
    (call,) = said.tool_calls
    assert (said.text, call["name"], call["args"]) == ("A year.", "search", {"query": "tower built"})
    assert (model.asked[0]["tools"], model.asked[0]["last"]) == (["search"], False)


async def test_the_same_tools_asked_for_again_are_an_end_of_it() -> None:
    both = [{"name": "search", "args": {"query": query}, "id": query} for query in ("tower", "spire")]
    model, context = critic(DONE)
    for turns, last in (([both, both], True), ([both, both[:1]], False), ([both[:1], both], False)):
        asked = loop(question="When?", text="In 1899.", messages=[AIMessage("", tool_calls=calls) for calls in turns])
        await next_turn(asked, context, QA_CRITIQUE, ("search",))
        assert model.asked[-1]["last"] is last


async def test_tools_asked_for_at_once_are_calls_of_one_message() -> None:
    said = await turn(critic({**LOOK, "also": [{"tool": "search", "argument": "tower height"}]})[1])
    assert [call["args"]["query"] for call in said.tool_calls] == ["tower built", "tower height"]
    assert len({call["id"] for call in said.tool_calls}) == 2


async def test_a_conclusion_can_be_read_again() -> None:
    said = await turn(critic(DONE)[1])
    assert not asks_for_tool(said)
    assert (conclusion(said).answer, conclusion(said).accepted) == ("1889", False)


@pytest.mark.parametrize(
    ("queries", "tools"), [(["tower built", "tower"], ("search",)), (["tower"] * 2, ("search",)), ([], ())]
)
async def test_the_last_turn_is_told_so_and_a_tool_that_it_asks_for_is_not_used(
    queries: list[str], tools: tuple[str, ...]
) -> None:
    model, context = critic(LOOK, critique_calls=7 if len(set(queries)) == 1 else 3)
    said = await turn(context, *queries, tools=tools)
    assert model.asked[0]["last"]
    assert not asks_for_tool(said)
    assert conclusion(said).correctness == "It reached no conclusion."


@pytest.mark.parametrize("queries", [["tower"], ["tower", "tower built"], ["tower", "tower built", "tower"]])
async def test_a_model_that_asks_for_something_else_or_for_one_more_page_goes_on(queries: list[str]) -> None:
    model, context = critic(LOOK, critique_calls=7)
    assert asks_for_tool(await turn(context, *queries))
    assert not model.asked[0]["last"]


async def test_a_model_that_is_down_is_a_failure_of_its_task() -> None:
    found = await turn(critic(ModelError("the model is down"))[1])
    assert found["failures"] == [{"step": "qa_critique", "reason": "the model is down", "unchecked": True}]


async def test_tools_of_the_callers_own_are_offered_with_what_they_are_for() -> None:
    model, context = critic({"tool": "hours", "arguments": {"day": "Friday"}})
    own: Any = {"hours": {"description": "When it opens.", "parameters": {}}}
    said = await next_turn(loop(question="When?", text="At nine."), context, QA_CRITIQUE, ("search",), own)
    assert isinstance(said, AIMessage)
    assert (model.asked[0]["tools"], model.asked[0]["own"]) == (["search", "hours"], own)
    assert said.tool_calls[0]["args"] == {"day": "Friday"}
