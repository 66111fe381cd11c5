"""Rejection sampling: of several chains of thought the best, by the right answer (CRITIC; evaluation only)."""

from langgraph.graph import END, START, StateGraph

from ..nodes import step
from ..nodes.begin import begin_draft
from ..nodes.drafts.answers import best_of, conclude_draft
from ..state import Context, parts
from ..state.critic import CriticInput, CriticResult, CriticState
from ..state.given import SCHEMA
from .method import Method


def build() -> StateGraph[CriticState, Context, CriticInput, CriticResult]:
    """The uncompiled graph. Compile it with the checkpointer, store or cache of your choice."""
    graph = StateGraph(CriticState, context_schema=SCHEMA, input_schema=CriticInput, output_schema=CriticResult)

    graph.add_node("begin", step(begin_draft, first=True))
    graph.add_node("draft", step(best_of))
    graph.add_node("conclude", step(conclude_draft))

    graph.add_edge(START, "begin")
    graph.add_edge("begin", "draft")
    graph.add_edge("draft", "conclude")
    graph.add_edge("conclude", END)
    return graph


METHOD = Method(
    name="rejection_sampling",
    about="Evaluation only: of several answers the one that is nearest to the right one",
    kind="drafts",
    tasks=("samples",),
    gold="needed",
    settings=(parts.SampleSettings,),
)

graph = build().compile(name="rejection_sampling")
graph.stream_mode = "values"  # in a pipe, what streams on is then the state, not one node's update
