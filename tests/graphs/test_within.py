"""Every graph inside an app, a graph or an agent that has a context of its own."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NotRequired

import pytest
from langchain.agents import create_agent
from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
from langchain_core.messages import AIMessage, HumanMessage
from langchain_core.runnables import Runnable, RunnableLambda
from langchain_core.tools import tool
from langgraph.graph import END, START, StateGraph
from pydantic import BaseModel
from typing_extensions import TypedDict

from errata.graphs import METHODS, load
from errata.state import Context
from errata.state.errors import ConfigurationError

from ..fakes import FakeChatModel, FakeSearch, equal_rank
from ..known import RIGHT, WRONG, known

TEXT = "The Eiffel Tower was completed in 1899."
FIXED = "The Eiffel Tower was completed in 1889."
DRAFTS = (
    "direct", "few_shot", "cot", "self_consistency", "react", "program_of_thought", "continuation",
    "rejection_sampling", "rejection_sampling_program",
)  # fmt: skip


class State(TypedDict):
    """What the graph around passes on."""

    text: NotRequired[str]
    question: NotRequired[str]
    gold: NotRequired[list[str]]
    stopped: NotRequired[Any]
    verdicts: NotRequired[list[Any]]
    edits: NotRequired[list[Any]]


@dataclass
class Dataclass:
    user: str = "me"
    model: str = "their own"
    errata: Any = None


class Model(BaseModel):
    user: str = "me"
    model: str = "their own"
    errata: Any = None


class Dict(TypedDict):
    user: str
    model: str
    errata: NotRequired[Any]


KINDS = (Dataclass, Model, Dict)


def theirs(kind: type, ours: Context | None = None) -> Any:
    """A context of an app."""
    return kind(user="me", model="their own", **({"errata": ours} if ours else {}))


def around(method: str, kind: type, way: str) -> Any:
    """A graph with a context of its own, of which the method is a node, or is called by one."""
    graph = StateGraph(State, context_schema=kind)
    if way == "node":
        graph.add_node("check", load(method))
    elif way == "called":

        async def check(state: State) -> Any:
            found = await load(method).ainvoke(dict(state))
            return {name: found[name] for name in State.__annotations__ if name in found}

        graph.add_node("check", check)
    else:

        def check_in_sync(state: State) -> Any:
            found = load(method).invoke(dict(state))
            return {name: found[name] for name in State.__annotations__ if name in found}

        graph.add_node("check", check_in_sync)
    graph.add_edge(START, "check")
    graph.add_edge("check", END)
    return graph.compile()


def ours() -> Context:
    """Settings that no default is like: a model that says the same whatever it is asked."""
    model = FakeChatModel(replies=["So the answer is: 5.\n> Accepted"])
    backends: Any = {"rank": RunnableLambda(equal_rank)}
    return Context(model=model, search=FakeSearch(), backends=backends, repairs=0, cache=False)


def given(method: str) -> dict[str, Any]:
    text = {} if method in DRAFTS else {"text": "answer = 4"}
    return {
        "question": "How many are there?",
        **text,
        **({"gold": ["5"]} if method.startswith("rejection_sampling") else {}),
    }


def outcome(result: Any) -> Any:
    return result["text"], result["stopped"], result["verdicts"], result["edits"]


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("way", ["node", "called"])
async def test_what_an_app_s_context_has_for_errata_is_what_a_method_runs_with(method: str, way: str) -> None:
    alone = await load(method).ainvoke(given(method), context=ours())
    kind = KINDS[list(METHODS).index(method) % len(KINDS)]
    found = await around(method, kind, way).ainvoke(given(method), context=theirs(kind, ours()))
    assert outcome(found) == outcome(alone)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("method", ["rarr", "purr", "critic", "critic_qa", "refchecker", "verify_and_edit"])
async def test_without_it_a_method_runs_with_its_defaults(method: str, kind: type) -> None:
    alone = await load(method).ainvoke({"text": TEXT})
    for way in ("node", "called"):
        assert outcome(await around(method, kind, way).ainvoke({"text": TEXT}, context=theirs(kind))) == outcome(alone)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("way", ["node", "in sync"])
def test_without_an_event_loop(kind: type, way: str) -> None:
    assert around("rarr", kind, way).invoke({"text": TEXT}, context=theirs(kind))["text"] == FIXED


@pytest.mark.parametrize("kind", [None, *KINDS])
async def test_in_a_tool_of_an_agent(kind: type | None) -> None:
    class Scripted(GenericFakeChatModel):
        def bind_tools(self, tools: Sequence[Any], **more: Any) -> Runnable[Any, Any]:
            return self

    @tool
    async def check(text: str) -> str:
        """Check a text."""
        return str((await load("rarr").ainvoke({"text": text}))["text"])

    says = [AIMessage("", tool_calls=[{"name": "check", "args": {"text": TEXT}, "id": "1"}]), AIMessage("Done.")]
    agent: Any = create_agent(Scripted(messages=iter(says)), [check], context_schema=kind)
    ended = await agent.ainvoke({"messages": [HumanMessage("Check it.")]}, context=kind and theirs(kind))
    assert [message.text for message in ended["messages"][2:]] == [FIXED, "Done."]


def test_a_context_that_is_passed_on_by_hand() -> None:
    for context in (Dataclass(), Model(), {"user": "me"}):
        assert load("rarr").invoke({"text": TEXT}, context=context)["text"] == FIXED
    for kind in KINDS:
        assert load("rarr").invoke({"text": WRONG}, context=theirs(kind, known()))["text"] == RIGHT


def test_a_setting_that_is_mistyped_is_not_somebody_else_s_context() -> None:
    for context in ({"pages": 3, "colour": "red"}, {"page": 3}):
        with pytest.raises(ConfigurationError, match=r"page|colour"):
            load("rarr").invoke({"text": TEXT}, context=context)
