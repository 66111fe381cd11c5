"""The shared graph of the baselines: begin, draft, conclude. The draft is not checked."""

from langgraph.graph import END, START, StateGraph

from ..nodes import step
from ..nodes.drafts import begin, conclude
from ..nodes.step import StepFunction
from ..state import Context
from ..state.methods.critic import CriticInput, CriticResult
from ..state.methods.drafts import DraftState
from .method import Method

Baseline = StateGraph[DraftState, Context, CriticInput, CriticResult]


def baseline(method: Method, draft: StepFunction, name: str = "draft", *, ends: bool = True) -> Baseline:
    """The uncompiled graph of a baseline.

    Args:
        method: The baseline.
        draft: The step that drafts.
        name: The name of its node.
        ends: Whether the draft leads straight to the end; otherwise the caller adds the edges from it.
    """
    graph = StateGraph(DraftState, context_schema=method.schema, input_schema=CriticInput, output_schema=CriticResult)
    graph.add_node("begin", step(begin, first=True))
    graph.add_node(name, step(draft))
    graph.add_node("conclude", step(conclude))

    graph.add_edge(START, "begin")
    graph.add_edge("begin", name)
    graph.add_edge("conclude", END)
    if ends:
        graph.add_edge(name, "conclude")
    return graph
