"""Gates are decided on the event loop, and traces still show them."""

import threading
from typing import Any

from langchain_core.callbacks import AsyncCallbackHandler
from langgraph.graph import END, START, StateGraph
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


def steps(node: Any) -> Any:
    graph = StateGraph(Steps)
    graph.add_node("go", node)
    graph.add_edge(START, "go")
    graph.add_conditional_edges("go", twice, ["go", END])
    return compiled(graph, "steps")


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


def test_a_sync_run_asks_its_gates_too() -> None:
    assert steps(sync_go).invoke({"step": 0}) == {"step": 2}
