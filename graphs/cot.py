"""CoT: answer a question with a chain of thought (Wei et al. 2022, arXiv 2201.11903)."""

from langgraph.graph import END, START, StateGraph

from ..nodes import step
from ..nodes.begin import begin_draft
from ..nodes.drafts.answers import conclude_draft, cot
from ..state import Context
from ..state.critic import CriticInput, CriticResult, CriticState
from ..state.given import SCHEMA
from .method import Method


def build() -> StateGraph[CriticState, Context, CriticInput, CriticResult]:
    """The uncompiled graph. Compile it with the checkpointer, store or cache of your choice."""
    graph = StateGraph(CriticState, context_schema=SCHEMA, input_schema=CriticInput, output_schema=CriticResult)

    graph.add_node("begin", step(begin_draft, first=True))
    graph.add_node("draft", step(cot))
    graph.add_node("conclude", step(conclude_draft))

    graph.add_edge(START, "begin")
    graph.add_edge("begin", "draft")
    graph.add_edge("draft", "conclude")
    graph.add_edge("conclude", END)
    return graph


METHOD = Method(
    name="cot",
    about="Baseline: answer with a chain of thought",
    paper="2201.11903",
    kind="drafts",
    tasks=("cot",),
    settings=(),
)

graph = build().compile(name="cot")
graph.stream_mode = "values"  # in a pipe, what streams on is then the state, not one node's update
