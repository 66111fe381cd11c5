"""The tools of a critic: what the model is told, what is evidence, and what a caller may give."""

from typing import Any

import pytest
from langchain_core.messages import AIMessage, AnyMessage
from langgraph.graph import START, StateGraph

from errata.nodes import step
from errata.nodes.critic.begin import begin_answer
from errata.nodes.tooling import described, own_tools, shown, tools
from errata.state import Context
from errata.state.errors import ConfigurationError, ToolError
from errata.state.methods.critic import AnswerState

from ..fakes import FakeScorer, FakeSearch, calls


def opening_hours(day: str) -> str:
    """When the museum opens."""
    if day == "Monday":
        raise ValueError("closed on Mondays")
    return "From ten\n[9] to four." if day == "Friday" else ""


async def carried_out(context: Context, *turns: AIMessage, **own: Any) -> dict[str, Any]:
    """The state after each turn's calls were carried out."""
    waiting = list(turns)

    async def turn(state: Any, context: Context) -> dict[str, Any]:
        return {"messages": [waiting.pop(0)]}

    graph = StateGraph(AnswerState, context_schema=Context)
    graph.add_node("begin", step(begin_answer, first=True))
    graph.add_node("turn", step(turn))
    graph.add_node("tools", step(tools("search", "run_python", "score_toxicity", own=own)))
    graph.add_edge(START, "begin")
    graph.add_edge("begin", "turn")
    graph.add_edge("turn", "tools")
    graph.add_conditional_edges("tools", lambda state: "turn" if waiting else "__end__")
    given: Any = {"question": "When?", "text": "In 1899."}
    return dict(await graph.compile().ainvoke(given, context=context))


def answers(result: dict[str, Any]) -> list[str]:
    messages: list[AnyMessage] = result["messages"]
    return [message.text for message in messages if message.type == "tool"]


def called(name: str, **arguments: str) -> AIMessage:
    message = calls((name, arguments))
    message.tool_calls[0]["id"] = f"{name} {arguments}"
    return message


async def test_the_same_search_again_gives_the_next_page() -> None:
    search = FakeSearch(find=lambda query: [("Tower", "Built in 1889."), ("Lyon", "A town.")])
    asked = [called("search", query="tower") for _ in range(3)]
    for number, message in enumerate(asked):
        message.tool_calls[0]["id"] = str(number)
    result = await carried_out(Context(search=search, cache=False), *asked)
    assert answers(result) == ["[1] [Tower] Built in 1889.", "[2] [Lyon] A town.", "Nothing more was found."]
    assert [piece["title"] for piece in result["evidence"]] == ["Tower", "Lyon"]


async def test_of_a_long_page_the_part_is_shown_that_ranks_best() -> None:
    page = " ".join(f"Sentence {number} is about the weather." for number in range(30)) + " Built in 1889."
    search = FakeSearch(find=lambda query: [("Tower", page)])
    (said,) = answers(await carried_out(Context(search=search, cache=False), called("search", query="built 1889")))
    assert "Built in 1889." in said
    assert len(said) < 450


async def test_a_program_and_a_score_are_evidence() -> None:
    context = Context(toxicity=FakeScorer(judge=lambda text: 0.8))
    asked = called("run_python", code="answer = 2 + 2"), called("score_toxicity", text="You idiot.")
    result = await carried_out(context, *asked)
    ran, scored = shown(result["messages"])
    assert (ran["bears"], scored["bears"], scored["offending"]) == (True, False, ["idiot"])
    assert "answer = 4" in answers(result)[0]
    assert "80% toxicity" in answers(result)[1]


async def test_a_search_that_is_down_is_told_and_is_no_evidence() -> None:
    def down(query: str) -> Any:
        raise ToolError("the search is down")

    result = await carried_out(Context(search=FakeSearch(find=down), cache=False), called("search", query="tower"))
    assert answers(result) == ["This could not be done: the search is down"]
    assert (result["evidence"], shown(result["messages"])) == ([], [])
    assert [each["reason"] for each in result["failures"]] == ["the search is down"]


async def test_a_tool_of_the_callers_own_gives_evidence_in_its_name() -> None:
    own = own_tools([opening_hours])
    days = [called("opening_hours", day=day) for day in ("Friday", "Sunday", "Monday")]
    result = await carried_out(Context(), *days, **own)
    assert answers(result) == [
        "[1] [opening_hours] From ten [9] to four.",
        "It gave no text.",
        "This could not be done: closed on Mondays",
    ]
    (piece,) = result["evidence"]
    assert (piece["source"], piece["query"]) == ("tool:opening_hours", '{"day": "Friday"}')


def test_what_a_model_is_told_of_a_tool() -> None:
    told = described(own_tools([opening_hours]))["opening_hours"]
    assert told["description"] == "When the museum opens."
    assert list(told["parameters"]["properties"]) == ["day"]


def test_what_cannot_be_a_tool_is_named() -> None:
    def search(query: str) -> str:
        """Ours has that name."""
        return query

    def silent(query: str) -> str:
        return query

    for given, said in (
        ([search], "can't be called 'search'"),
        ([opening_hours, opening_hours], "can't be called 'opening_hours'"),
        ([silent], "`silent` is not a tool"),
    ):
        with pytest.raises(ConfigurationError, match=said):
            own_tools(given)
