"""CRITIC on programs: mathematical program synthesis (Gou et al. 2024, arXiv 2305.11738, section 4.2).

draft     take the program, or write one that solves the question (program of thought)
execute   run it in a sandbox                     the result stays the same -> stop
critique  plausible? right? by what the interpreter says    accepted -> stop
correct   write a better program, then execute again        bounded by `rounds`
review    a person decides on it before it is run, if the Context asks for review
"""

from typing import Literal

from langgraph.graph import END, START, StateGraph

from ..nodes import settings, step
from ..nodes.begin import begin_critic
from ..nodes.critic.loop import conclude_critic
from ..nodes.critic.program import correct_program, critique_program, execute, review_program
from ..nodes.drafts.answers import program
from ..state import Context, parts
from ..state.critic import CriticInput, CriticResult, CriticState
from ..state.given import SCHEMA
from .method import Method

ROUNDS = 4


def needs_draft(state: CriticState) -> Literal["draft", "execute"]:
    """A program of the caller's own is run as it is."""
    return "execute" if state["text"] else "draft"


def has_program(state: CriticState) -> Literal["execute", "conclude"]:
    """A program that could not be written cannot be run."""
    return "conclude" if state["stopped"] else "execute"


def is_reviewed(state: CriticState) -> Literal["review", "execute", "conclude"]:
    """A new program is run at once, or after a person has seen it. One that could not be written cannot be run."""
    context = settings(state)
    new = state["candidate"] != state["text"]
    return "conclude" if state["stopped"] else "review" if context.review and new else "execute"


def still_changing(state: CriticState) -> Literal["critique", "conclude"]:
    """An answer that `patience` corrections left as it was needs no further critique."""
    context = settings(state)
    return "conclude" if state["stopped"] or state["unchanged"] >= context.patience else "critique"


def decide(state: CriticState) -> Literal["correct", "conclude"]:
    """Correct what was not accepted, while there are rounds left."""
    context = settings(state)
    return "conclude" if state["stopped"] or state["rounds"] >= context.rounds_or(ROUNDS) else "correct"


def build() -> StateGraph[CriticState, Context, CriticInput, CriticResult]:
    """The uncompiled graph. Compile it with the checkpointer, store or cache of your choice."""
    graph = StateGraph(CriticState, context_schema=SCHEMA, input_schema=CriticInput, output_schema=CriticResult)

    graph.add_node("begin", step(begin_critic, first=True))
    graph.add_node("draft", step(program))
    graph.add_node("execute", step(execute))
    graph.add_node("critique", step(critique_program))
    graph.add_node("correct", step(correct_program))
    graph.add_node("review", step(review_program))
    graph.add_node("conclude", step(conclude_critic))

    graph.add_edge(START, "begin")
    graph.add_conditional_edges("begin", needs_draft)
    graph.add_conditional_edges("draft", has_program)
    graph.add_conditional_edges("execute", still_changing)
    graph.add_conditional_edges("critique", decide)
    graph.add_conditional_edges("correct", is_reviewed)
    graph.add_edge("review", "execute")
    graph.add_edge("conclude", END)
    return graph


METHOD = Method(
    name="critic_program",
    about="CRITIC on programs: write one, run it, critique it, write a better one",
    paper="2305.11738",
    kind="corrects",
    draft="program_of_thought",
    tasks=("program_critique",),
    chosen=lambda context: () if context.rounds == 0 else ("program_correction",),
    tools=("python",),
    programs=True,
    gold="optional",
    settings=(parts.RoundSettings, parts.CriticSettings, parts.ReviewSettings, parts.PythonSettings),
)

graph = build().compile(name="critic_program")
graph.stream_mode = "values"  # in a pipe, what streams on is then the state, not one node's update
