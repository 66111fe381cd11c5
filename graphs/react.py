"""ReAct: think and search by turns, then answer (Yao et al. 2023, arXiv 2210.03629).

react    think; name the next search, or the answer    at most `critique_calls` turns
tools    carry the search out, then go on
"""

from typing import Literal

from langgraph.graph import END, START, StateGraph

from ..nodes import step
from ..nodes.begin import begin_draft
from ..nodes.drafts.answers import conclude_draft
from ..nodes.tooling import tools
from ..nodes.turns import asks_for_tool, react
from ..state import Context, parts
from ..state.critic import CriticInput, CriticResult, CriticState
from ..state.given import SCHEMA
from .method import Method


def next_turn(state: CriticState) -> Literal["tools", "conclude"]:
    """Search as long as the model asks for it."""
    return "conclude" if state["stopped"] or not asks_for_tool(state["messages"][-1]) else "tools"


def go_on(state: CriticState) -> Literal["react", "conclude"]:
    """A search that is down ends the draft."""
    return "conclude" if state["stopped"] else "react"


def build() -> StateGraph[CriticState, Context, CriticInput, CriticResult]:
    """The uncompiled graph. Compile it with the checkpointer, store or cache of your choice."""
    graph = StateGraph(CriticState, context_schema=SCHEMA, input_schema=CriticInput, output_schema=CriticResult)

    graph.add_node("begin", step(begin_draft, first=True))
    graph.add_node("react", step(react))
    graph.add_node("tools", step(tools("search")))
    graph.add_node("conclude", step(conclude_draft))

    graph.add_edge(START, "begin")
    graph.add_edge("begin", "react")
    graph.add_conditional_edges("react", next_turn)
    graph.add_conditional_edges("tools", go_on)
    graph.add_edge("conclude", END)
    return graph


METHOD = Method(
    name="react",
    about="Baseline: think and search by turns, then answer",
    paper="2210.03629",
    kind="drafts",
    tasks=("react", "rank"),
    tools=("search",),
    settings=(parts.SearchSettings, parts.TurnSettings),
)

graph = build().compile(name="react")
graph.stream_mode = "values"  # in a pipe, what streams on is then the state, not one node's update
