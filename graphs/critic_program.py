"""CRITIC on programs: mathematical program synthesis (Gou et al. 2024, arXiv 2305.11738, algorithm 1 and section 4.2).

draft     y is the program given, or one written to solve the question (program of thought)
execute   run y in a sandbox             its result was the same twice in a row (`patience`) -> return y
critique  is the result plausible? is y right, given what the interpreter says?    accepts y -> return y
correct   write a better program, at most 4 times (`rounds`), and execute that
review    a person approves it before it runs, if the Context asks for review
confirm   with `caution=evidence` (ours): if y and a draft that ran come to different results, write programs for the
          question alone, at most 3 (`OTHERS`), until one result is reached twice; that program is y
withdraw  return the draft if that is its result, if there is none, or if the critic accepted none of its corrections
          with `caution=evidence` (ours): a y that ran is corrected only where the critique quotes the wrong line, and
          the draft is returned rather than a y that was not accepted, as soon as the critic rejects what it asked for;
          with `caution=paper`, the last y, which nobody critiques

CRITIC*: if right answers are given (for evaluation only), they replace the critique.
"""

from typing import Literal

from langgraph.graph import END, START, StateGraph

from ..models import backend
from ..models.rules.critique import implausibility
from ..models.tasks.drafting import PROGRAM
from ..nodes import settings, step
from ..nodes.budget import affords
from ..nodes.critic import (
    begin_program,
    conclude,
    confirm,
    correct_program,
    correction_task,
    critique_program,
    execute,
    prefers_draft,
    quotes_line,
    reached_twice,
    review_program,
    to_verify,
    withdraw,
)
from ..nodes.drafts import write_program
from ..state import Context, parts
from ..state.methods.critic import CriticInput, LoopResult, ProgramState
from ..state.text.values import same_answer
from .method import Method

ROUNDS = 4
OTHERS = 3
"""Programs for the question alone that may decide between a draft and its correction. Ours; the paper has none."""


def accepts(state: ProgramState) -> bool:
    """Accept a program that the critique finds nothing wrong with or, if right answers are known, that is right."""
    return state["accepted"]


def is_sound(state: ProgramState, answer: str) -> bool:
    """Whether a program ran, and its result may be what the question asks for."""
    return bool(answer) and not implausibility(state["question"], answer)


def may_replace(state: ProgramState) -> bool:
    """Replace a program that ran with a plausible result only if the critique says which line is wrong."""
    context = settings(state)
    decided = context.caution == "paper" or context.review or state["gold"]
    return bool(decided) or not is_sound(state, state["answer"]) or quotes_line(state["critique"], state["candidate"])


def has_replaced(state: ProgramState) -> bool:
    """Whether a correction took the place of a sound draft, which comes back unless something bears it out."""
    was_replaced = is_sound(state, state["first_answer"]) and state["text"] != state["original"]
    return was_replaced and prefers_draft(state, settings(state))


def is_contested(state: ProgramState) -> bool:
    """Whether the correction that took the place of a sound draft comes to another result."""
    return has_replaced(state) and not same_answer(state["answer"], state["first_answer"])


def is_confirmed(state: ProgramState) -> bool:
    """Whether two programs other than the draft came to the result."""
    result = reached_twice(state)
    return bool(result) and not same_answer(result, state["first_answer"])


def needs_draft(state: ProgramState) -> Literal["draft", "execute"]:
    """Run the caller's own program as it is."""
    return "execute" if state["text"] else "draft"


def has_program(state: ProgramState) -> Literal["execute", "conclude"]:
    """Run the program, if there is one."""
    return "conclude" if state["failures"] else "execute"


def stays_as_drafted(state: ProgramState) -> Literal["withdraw", "conclude"]:
    """Keep a draft that ran over a rejected correction, which may have broken a correct program."""
    context = settings(state)
    rejected = not accepts(state) and (state["unchanged"] or len(state["verdicts"]) > state["rounds"])
    kept = prefers_draft(state, context) and not is_confirmed(state)
    return "withdraw" if rejected and state["rounds"] and kept else "conclude"


def still_changing(state: ProgramState) -> Literal["confirm", "critique", "withdraw", "conclude"]:
    """Stop when `patience` corrections in a row have not changed the result, or, as published, after the last one."""
    context = settings(state)
    stable = state["unchanged"] >= context.patience
    last = 0 < context.rounds_or(ROUNDS) <= state["rounds"] and context.caution == "paper" and not state["gold"]
    if stable or last or state["failures"]:
        return stays_as_drafted(state)
    return is_settled(state) if is_contested(state) else "critique"


def is_settled(state: ProgramState) -> Literal["confirm", "critique", "withdraw"]:
    """Go on with a result that was reached twice, unless it is the draft's."""
    if reached_twice(state):
        return "critique" if is_confirmed(state) else "withdraw"
    is_over = len(state["others"]) >= OTHERS or state["failures"]
    return "withdraw" if is_over or not affords(state, settings(state), PROGRAM) else "confirm"


def can_correct(state: ProgramState) -> bool:
    """Whether another correction is affordable."""
    context = settings(state)
    return not (state["failures"] or state["spent"]) and affords(state, context, correction_task(context))


def decide(state: ProgramState) -> Literal["correct", "withdraw", "conclude"]:
    """Correct what was not accepted, while rounds and model calls are left."""
    is_over = accepts(state) or state["rounds"] >= settings(state).rounds_or(ROUNDS)
    is_worth_it = may_replace(state) and not has_replaced(state)  # nor is a critic that rejects its own asked again
    return "correct" if can_correct(state) and not is_over and is_worth_it else stays_as_drafted(state)


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
    graph.add_node("confirm", step(confirm))
    graph.add_node("critique", step(critique_program))
    graph.add_node("correct", step(correct_program))
    graph.add_node("review", step(review_program))
    graph.add_node("withdraw", step(withdraw))
    graph.add_node("conclude", step(conclude(accepts, ROUNDS, can_correct)))

    graph.add_edge(START, "begin")
    graph.add_conditional_edges("begin", needs_draft)
    graph.add_conditional_edges("draft", has_program)
    graph.add_conditional_edges("execute", still_changing)
    graph.add_conditional_edges("confirm", is_settled)
    graph.add_conditional_edges("critique", decide)
    graph.add_conditional_edges("correct", is_reviewed)
    graph.add_edge("review", "execute")
    graph.add_edge("withdraw", "conclude")
    graph.add_edge("conclude", END)
    return graph


def _unasked(context: Context) -> tuple[str, ...]:
    other = "untested" if context.use_tools else "program"
    corrections = ("program_correction", "untested_correction") if context.rounds == 0 else ()
    confirms = context.caution == "evidence" and not context.review and not corrections
    writes = backend(context, correction_task(context)).name != "rules"  # which correct nothing
    return (f"{other}_critique", f"{other}_correction", *corrections, *(() if confirms and writes else ("program",)))


METHOD = Method(
    name="critic_program",
    about="CRITIC on programs: write one, run it, critique it, write a better one",
    paper="2305.11738",
    kind="corrects",
    draft="program_of_thought",
    tasks={
        "confirm": ("program",),
        "critique": ("program_critique", "untested_critique"),
        "correct": ("program_correction", "untested_correction"),
    },
    unasked=_unasked,
    tools=("python",),
    programs=True,
    gold="optional",
    settings=(
        parts.RoundSettings,
        parts.CriticSettings,
        parts.CautionSettings,
        parts.ReviewSettings,
    ),
)

graph = METHOD.compile(build())
