"""CRITIC on answers: free-form question answering (Gou et al. 2024, arXiv 2305.11738, algorithm 1 and section 4.1).

draft      y is the given answer, or a chain of thought (`draft` chooses another way)
critique   is y plausible? do searches confirm it? look something up, or conclude    accepts y -> return y
tools      run the search, then continue the critique: at most 7 turns (`critique_calls`)
           without tools a turn is a thought, and the model goes by what it knows
correct    replace y with the answer that the critique concludes with (a person sees it first, with `review`)
keep       leave y as it is: the critique has no other answer, or nothing found speaks for it (`caution`; ours)
           at most 3 rounds (`rounds`); y is unchanged twice in a row (`patience`) -> return y

CRITIC*: if right answers are given (for evaluation only), they replace the critique.
"""

from collections.abc import Sequence
from typing import Literal

from langgraph.graph import END, START, StateGraph

from ..models import Task
from ..models.tasks.critic import QA_CRITIQUE, QA_REASONING, THINK, Turn, TurnInput
from ..nodes import settings, step
from ..nodes.budget import affords
from ..nodes.critic import begin_answer, conclude, correct, critique, is_right, keep, needs_evidence
from ..nodes.tooling import Givable, own_tools
from ..nodes.tooling import tools as node
from ..nodes.turns import asks_for_tool
from ..state import Context, parts
from ..state.methods.critic import AnswerState, CriticInput, LoopResult
from .drafting import Drafting
from .method import DRAFTING, Method

ROUNDS = 3

Loop = StateGraph[AnswerState, Context, CriticInput, LoopResult]


def accepts(state: AnswerState) -> bool:
    """Accept an answer that the critique finds nothing wrong with or, if right answers are known, that is right."""
    return state["accepted"] or is_right(state)


def may_replace(state: AnswerState) -> bool:
    """Replace an answer if evidence of this run speaks for the new one, or a person decides, or nothing asks for it."""
    context = settings(state)
    if state["correction"] == "unsupported":
        return context.review or not needs_evidence(state, context)
    return state["correction"] == "supported"


def loop(
    method: Method,
    critic: Task[TurnInput, Turn],
    reasoner: Task[TurnInput, Turn],
    tool_names: tuple[str, ...],
    rounds: int,
    given: Sequence[Givable] = (),
) -> Loop:
    """The uncompiled graph of a critique loop.

    Args:
        method: The method whose loop it is.
        critic: The task that writes the critique.
        reasoner: The task that writes it if no tools may be used.
        tool_names: The tools that it may use.
        rounds: The most corrections, unless the Context says otherwise.
        given: The caller's own tools, which it may use as well.
    """
    tools_of_caller = own_tools(given)

    def can_go_on(state: AnswerState) -> bool:
        """End the loop if a tool or a model is down, or the budget has no call left for the critic."""
        context = settings(state)
        return not state["failures"] and affords(state, context, critic if context.use_tools else reasoner)

    def needs_draft(state: AnswerState) -> Literal["draft", "critique", "conclude"]:
        """Critique the caller's own answer as it is."""
        return has_text(state) if state["text"] else "draft"

    def has_text(state: AnswerState) -> Literal["critique", "conclude"]:
        """Skip the critique if there is no draft, or the draft is known to be right."""
        return "critique" if state["text"] and not accepts(state) and can_go_on(state) else "conclude"

    def decide(state: AnswerState) -> Literal["tools", "correct", "keep", "conclude"]:
        """Use the tool that the critic asks for. Once it has concluded, correct what it did not accept."""
        if state["failures"]:
            return "conclude"
        if asks_for_tool(state["messages"][-1]):
            return "tools"
        is_over = accepts(state) or state["rounds"] >= settings(state).rounds_or(rounds)
        if is_over:
            return "conclude"
        return "correct" if may_replace(state) else "keep"

    def go_on(state: AnswerState) -> Literal["critique", "conclude"]:
        """Continue the critique with the tool's result. After a failed search it cannot conclude anything."""
        return "critique" if can_go_on(state) else "conclude"

    def still_changing(state: AnswerState) -> Literal["critique", "conclude"]:
        """Critique the corrected answer, unless `patience` critiques left it unchanged or the rounds are used up."""
        context = settings(state)
        is_over = state["unchanged"] >= context.patience or state["rounds"] >= context.rounds_or(rounds)
        return "conclude" if is_over else has_text(state)

    graph = StateGraph(AnswerState, context_schema=method.schema, input_schema=CriticInput, output_schema=LoopResult)

    graph.add_node("begin", step(begin_answer, first=True))
    graph.add_node("draft", Drafting("cot", optional_tools=True))
    graph.add_node("critique", step(critique(critic, reasoner, *tool_names, own=tools_of_caller)))
    graph.add_node("tools", step(node(*tool_names, THINK, own=tools_of_caller)))
    graph.add_node("correct", step(correct))
    graph.add_node("keep", step(keep))
    graph.add_node("conclude", step(conclude(accepts, rounds)))

    graph.add_edge(START, "begin")
    graph.add_conditional_edges("begin", needs_draft)
    graph.add_conditional_edges("draft", has_text)
    graph.add_conditional_edges("critique", decide)
    graph.add_conditional_edges("tools", go_on)
    graph.add_conditional_edges("correct", still_changing)
    graph.add_conditional_edges("keep", still_changing)
    graph.add_edge("conclude", END)
    return graph


def build(*, tools: Sequence[Givable] = ()) -> Loop:
    """The uncompiled graph. Compile it with the checkpointer, store or cache of your choice.

    Args:
        tools: Your own tools for the critic: LangChain tools or functions with a docstring.

    Raises:
        ConfigurationError: If something cannot be a tool, or a name is already taken.
    """
    return loop(METHOD, QA_CRITIQUE, QA_REASONING, ("search",), ROUNDS, tools)


METHOD = Method(
    name="critic_qa",
    about="CRITIC on answers: critique with searches, correct until the critic accepts",
    paper="2305.11738",
    kind="corrects",
    draft="cot",
    tasks={"critique": ("qa_critique", "qa_reasoning"), "tools": ("rank",)},
    unasked=lambda context: ("qa_reasoning",) if context.use_tools else ("qa_critique", "rank"),
    tools=("search",),
    gold="optional",
    settings=(
        *DRAFTING,
        parts.RoundSettings,
        parts.CriticSettings,
        parts.CautionSettings,
        parts.EditSettings,
        parts.ReviewSettings,
    ),
)

graph = METHOD.compile(build())
