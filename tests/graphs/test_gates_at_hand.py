"""Gates are decided on the event loop, and traces still show them."""

import sys
import threading
from typing import Any

import pytest
from langchain_core.callbacks import AsyncCallbackHandler
from langchain_core.runnables import RunnableConfig, RunnableLambda
from langgraph.graph import END, START, StateGraph
from langgraph.runtime import Runtime
from typing_extensions import TypedDict

from errata.graphs.gates import compiled


class Steps(TypedDict):
    step: int


asked: list[str] = []


def twice(state: Steps) -> str:
    """Go on until two steps were taken."""
    asked.append(threading.current_thread().name)
    return "go" if state["step"] < 2 else END


async def go(state: Steps) -> Steps:
    return {"step": state["step"] + 1}


def sync_go(state: Steps) -> Steps:
    return {"step": state["step"] + 1}


def built(node: Any, gate: Any = twice) -> StateGraph[Any, Any, Any, Any]:
    graph = StateGraph(Steps)
    graph.add_node("go", node)
    graph.add_edge(START, "go")
    graph.add_conditional_edges("go", gate, ["go", END])
    return graph


def steps(node: Any, gate: Any = twice) -> Any:
    return compiled(built(node, gate), "steps")


class Names(AsyncCallbackHandler):
    """What a trace shows."""

    def __init__(self) -> None:
        self.names: list[str] = []

    async def on_chain_start(self, serialized: Any, inputs: Any, **kwargs: Any) -> None:
        self.names.append(kwargs["name"])


async def test_a_gate_takes_no_thread() -> None:
    asked.clear()
    assert await steps(go).ainvoke({"step": 0}) == {"step": 2}
    assert asked == [threading.current_thread().name] * 2


async def test_a_trace_shows_what_a_gate_was_asked() -> None:
    handler = Names()
    assert await steps(go).ainvoke({"step": 0}, {"callbacks": [handler]}) == {"step": 2}
    assert handler.names.count("twice") == 2


def until(state: Steps, config: RunnableConfig) -> str:
    return "go" if state["step"] < config["configurable"]["steps"] else END


def until_untyped(state, config):  # type: ignore[no-untyped-def]  # as people write gates of their own
    return until(state, config)


def until_three(state: Steps, runtime: Runtime[Any]) -> str:
    return "go" if runtime and state["step"] < 3 else END


@pytest.mark.parametrize("gate", [until, until_untyped, until_three, RunnableLambda(until)])
async def test_a_gate_is_given_what_it_takes(gate: Any) -> None:
    assert await steps(go, gate).ainvoke({"step": 0}, {"configurable": {"steps": 3}}) == {"step": 3}


async def test_a_graph_may_be_compiled_as_often_as_you_like() -> None:
    graph = built(go)
    for _ in range(sys.getrecursionlimit()):
        steps = compiled(graph, "steps")
    assert await steps.ainvoke({"step": 0}) == {"step": 2}


def test_a_sync_run_asks_its_gates_too() -> None:
    assert steps(sync_go).invoke({"step": 0}) == {"step": 2}
