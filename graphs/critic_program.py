"""CRITIC on programs: mathematical program synthesis (Gou et al. 2024, arXiv 2305.11738, algorithm 1 and section 4.2).

draft     y is the program given, or one written to solve the question (program of thought)
execute   run y in a sandbox             its result was the same twice in a row (`patience`) -> done
critique  is the result plausible? is y right, given what the interpreter says?    accepts y -> return y
correct   write a better program, at most 4 times (`rounds`), and execute that
review    a person approves it before it runs, if the Context asks for review

Ours: if the draft ran and no correction was accepted, the draft is returned, and not the last correction; so the last
correction is critiqued as well.

CRITIC*: if right answers are given (for evaluation only), they replace the critique.
"""

from typing import Literal

from langgraph.graph import END, START, StateGraph

from ..nodes import settings, step
from ..nodes.budget import affords
from ..nodes.critic import (
    begin_program,
    conclude,
    correct_program,
    correction_task,
    critique_program,
    execute,
    review_program,
    to_verify,
)
from ..nodes.drafts import write_program
from ..state import Context, parts
from ..state.methods.critic import CriticInput, LoopResult, ProgramState
from .method import Method

ROUNDS = 4


def accepts(state: ProgramState) -> bool:
    """Accept a program that the critique finds nothing wrong with or, if right answers are known, that is right."""
    return state["accepted"]


def needs_draft(state: ProgramState) -> Literal["draft", "execute"]:
    """Run the caller's own program as it is."""
    return "execute" if state["text"] else "draft"


def has_program(state: ProgramState) -> Literal["execute", "conclude"]:
    """Run the program, if there is one."""
    return "conclude" if state["failures"] else "execute"


def still_changing(state: ProgramState) -> Literal["critique", "conclude"]:
    """Stop when `patience` corrections in a row have not changed the result."""
    stable = state["unchanged"] >= settings(state).patience
    return "conclude" if stable or state["failures"] else "critique"


def decide(state: ProgramState) -> Literal["correct", "conclude"]:
    """Correct what was not accepted, while rounds and model calls are left."""
    context = settings(state)
    is_over = accepts(state) or state["failures"] or state["spent"] or state["rounds"] >= context.rounds_or(ROUNDS)
    return "conclude" if is_over or not affords(state, context, correction_task(context)) else "correct"


def is_reviewed(state: ProgramState) -> Literal["review", "execute", "conclude"]:
    """Run a new program at once, or after a person has seen it."""
    if settings(state).review and state["candidate"] != state["text"] and not state["failures"]:
        return "review"
    return has_program(state)


def build() -> StateGraph[ProgramState, Context, CriticInput, LoopResult]:
    """The uncompiled graph. Compile it with the checkpointer, store or cache of your choice."""
    graph = StateGraph(ProgramState, context_schema=METHOD.schema, input_schema=CriticInput, output_schema=LoopResult)

    graph.add_node("begin", step(begin_program, first=True))
    graph.add_node("draft", step(to_verify(write_program)))
    graph.add_node("execute", step(execute))
    graph.add_node("critique", step(critique_program))
    graph.add_node("correct", step(correct_program))
    graph.add_node("review", step(review_program))
    graph.add_node("conclude", step(conclude(accepts, ROUNDS)))

    graph.add_edge(START, "begin")
    graph.add_conditional_edges("begin", needs_draft)
    graph.add_conditional_edges("draft", has_program)
    graph.add_conditional_edges("execute", still_changing)
    graph.add_conditional_edges("critique", decide)
    graph.add_conditional_edges("correct", is_reviewed)
    graph.add_edge("review", "execute")
    graph.add_edge("conclude", END)
    return graph


def _unasked(context: Context) -> tuple[str, ...]:
    other = "untested" if context.use_tools else "program"
    corrections = ("program_correction", "untested_correction") if context.rounds == 0 else ()
    return (f"{other}_critique", f"{other}_correction", *corrections)


METHOD = Method(
    name="critic_program",
    about="CRITIC on programs: write one, run it, critique it, write a better one",
    paper="2305.11738",
    kind="corrects",
    draft="program_of_thought",
    tasks={
        "critique": ("program_critique", "untested_critique"),
        "correct": ("program_correction", "untested_correction"),
    },
    unasked=_unasked,
    tools=("python",),
    programs=True,
    gold="optional",
    settings=(parts.RoundSettings, parts.CriticSettings, parts.ReviewSettings),
)

graph = METHOD.compile(build())
