"""The first step of a method: a draft, by the way that the Context chooses. To use as a node of another graph."""

from typing import Literal, cast

from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph

from ..nodes import settings, step
from ..nodes.begin import begin_draft
from ..nodes.draft import cot, direct, vote
from ..nodes.tooling import tools
from ..nodes.turns import react
from ..state import Context
from ..state.critic import CriticState, Drafted, ToDraft
from ..state.given import SCHEMA
from .react import go_on, next_turn

Way = Literal["direct", "cot", "self_consistency", "react"]


def drafting(default: Way) -> CompiledStateGraph[CriticState, Context, ToDraft, Drafted]:
    """A graph that drafts an answer.

    default
        the way where the Context chooses none
    """
    graph = StateGraph(CriticState, context_schema=SCHEMA, input_schema=ToDraft, output_schema=Drafted)

    def chosen(state: CriticState) -> Way:
        return cast(Way, settings(state).draft_or(default))

    graph.add_node("begin", step(begin_draft))
    graph.add_node("direct", step(direct))
    graph.add_node("cot", step(cot))
    graph.add_node("self_consistency", step(vote))
    graph.add_node("react", step(react))
    graph.add_node("tools", step(tools("search")))

    graph.add_edge(START, "begin")
    graph.add_conditional_edges("begin", chosen)
    graph.add_edge("direct", END)
    graph.add_edge("cot", END)
    graph.add_edge("self_consistency", END)
    graph.add_conditional_edges("react", next_turn, {"tools": "tools", "conclude": END})
    graph.add_conditional_edges("tools", go_on, {"react": "react", "conclude": END})
    return graph.compile(name="draft")
