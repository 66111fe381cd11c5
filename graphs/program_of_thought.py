"""PoT: program of thought (Chen et al. 2023, arXiv 2211.12588).

draft      write a program whose result is the answer
execute    run it in a sandbox
"""

from typing import Literal

from langgraph.graph import END, START, StateGraph

from ..nodes import step
from ..nodes.begin import begin_draft
from ..nodes.critic.program import execute
from ..nodes.drafts.answers import conclude_draft, program
from ..state import Context, parts
from ..state.critic import CriticInput, CriticResult, CriticState
from ..state.given import SCHEMA
from .method import Method


def has_program(state: CriticState) -> Literal["execute", "conclude"]:
    """A program that could not be written cannot be run."""
    return "conclude" if state["stopped"] else "execute"


def build() -> StateGraph[CriticState, Context, CriticInput, CriticResult]:
    """The uncompiled graph. Compile it with the checkpointer, store or cache of your choice."""
    graph = StateGraph(CriticState, context_schema=SCHEMA, input_schema=CriticInput, output_schema=CriticResult)

    graph.add_node("begin", step(begin_draft, first=True))
    graph.add_node("draft", step(program))
    graph.add_node("execute", step(execute))
    graph.add_node("conclude", step(conclude_draft))

    graph.add_edge(START, "begin")
    graph.add_edge("begin", "draft")
    graph.add_conditional_edges("draft", has_program)
    graph.add_edge("execute", "conclude")
    graph.add_edge("conclude", END)
    return graph


METHOD = Method(
    name="program_of_thought",
    about="Baseline: write a program and run it",
    paper="2211.12588",
    kind="drafts",
    tasks=("program",),
    tools=("python",),
    programs=True,
    settings=(parts.PythonSettings,),
)

graph = build().compile(name="program_of_thought")
graph.stream_mode = "values"  # in a pipe, what streams on is then the state, not one node's update
