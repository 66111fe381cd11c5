"""CoT-SC: self-consistency (Wang et al. 2023, arXiv 2203.11171).

sample and vote    several chains of thought in one request; the first of those whose answer most agree with
"""

from langgraph.graph import END, START, StateGraph

from ..nodes import step
from ..nodes.begin import begin_draft
from ..nodes.drafts.answers import conclude_draft, vote
from ..state import Context, parts
from ..state.critic import CriticInput, CriticResult, CriticState
from ..state.given import SCHEMA
from .method import Method


def build() -> StateGraph[CriticState, Context, CriticInput, CriticResult]:
    """The uncompiled graph. Compile it with the checkpointer, store or cache of your choice."""
    graph = StateGraph(CriticState, context_schema=SCHEMA, input_schema=CriticInput, output_schema=CriticResult)

    graph.add_node("begin", step(begin_draft, first=True))
    graph.add_node("draft", step(vote))
    graph.add_node("conclude", step(conclude_draft))

    graph.add_edge(START, "begin")
    graph.add_edge("begin", "draft")
    graph.add_edge("draft", "conclude")
    graph.add_edge("conclude", END)
    return graph


METHOD = Method(
    name="self_consistency",
    about="Baseline: sample chains of thought and take the majority's answer",
    paper="2203.11171",
    kind="drafts",
    tasks=("samples",),
    settings=(parts.SampleSettings,),
)

graph = build().compile(name="self_consistency")
graph.stream_mode = "values"  # in a pipe, what streams on is then the state, not one node's update
