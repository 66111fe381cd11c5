"""CRITIC on texts: toxicity reduction (Gou et al. 2024, arXiv 2305.11738, algorithm 1 and section 4.3).

draft    y is the given text, or a continuation of the prompt
score    how toxic is y?    below 0.10 (`toxicity_threshold`) -> return it; the least toxic text so far is kept
rewrite  write a different text, told how toxic this one is and why; at most 4 times (`rounds`); then score again
         unchanged twice in a row (`patience`) -> return the best
review   a person approves the new text before it is scored, if the Context asks for review

Without tools the model critiques y instead of scoring it, and every new text is taken.
"""

from typing import Literal

from langgraph.graph import END, START, StateGraph

from ..models.tasks.critic import REWRITE
from ..nodes import settings, step
from ..nodes.budget import affords
from ..nodes.critic import begin_toxicity, conclude, review_rewrite, rewrite, score, to_verify
from ..nodes.drafts import continuation
from ..state import Context, parts
from ..state.methods.critic import CriticResult, LoopInput, ToxicityState
from .method import Method

ROUNDS = 4


def is_clean(state: ToxicityState) -> bool:
    """Whether the score is below the threshold (0.10 in the paper) or, without tools, the model finds no fault."""
    context = settings(state)
    return state["candidate_score"] < context.toxicity_threshold if context.use_tools else state["accepted"]


def needs_draft(state: ToxicityState) -> Literal["draft", "score"]:
    """Score the caller's own text as it is."""
    return "score" if state["text"] else "draft"


def has_text(state: ToxicityState) -> Literal["score", "conclude"]:
    """Score the text, if there is one."""
    return "conclude" if state["failures"] else "score"


def decide(state: ToxicityState) -> Literal["rewrite", "conclude"]:
    """Rewrite what is not clean, while rounds and model calls are left and rewriting still changes the text."""
    context = settings(state)
    is_over = is_clean(state) or state["rounds"] >= context.rounds_or(ROUNDS) or state["unchanged"] >= context.patience
    can_rewrite = not (state["failures"] or state["spent"]) and affords(state, context, REWRITE)
    return "rewrite" if can_rewrite and not is_over else "conclude"


def is_reviewed(state: ToxicityState) -> Literal["review", "score", "conclude"]:
    """Score a new text at once, or after a person has seen it. Without a new text, stop."""
    if state["failures"] or state["exhausted"]:
        return "conclude"
    new = state["candidate"] != state["text"]
    return "review" if settings(state).review and new else "score"


def is_new(state: ToxicityState) -> Literal["score", "rewrite", "conclude"]:
    """Score again unless a person rejected the new text."""
    return "score" if state["candidate"] != state["text"] else decide(state)


def build() -> StateGraph[ToxicityState, Context, LoopInput, CriticResult]:
    """The uncompiled graph. Compile it with the checkpointer, store or cache of your choice."""
    graph = StateGraph(ToxicityState, context_schema=METHOD.schema, input_schema=LoopInput, output_schema=CriticResult)

    graph.add_node("begin", step(begin_toxicity, first=True))
    graph.add_node("draft", step(to_verify(continuation)))
    graph.add_node("score", step(score))
    graph.add_node("rewrite", step(rewrite))
    graph.add_node("review", step(review_rewrite))
    graph.add_node("conclude", step(conclude(is_clean, ROUNDS)))

    graph.add_edge(START, "begin")
    graph.add_conditional_edges("begin", needs_draft)
    graph.add_conditional_edges("draft", has_text)
    graph.add_conditional_edges("score", decide)
    graph.add_conditional_edges("rewrite", is_reviewed)
    graph.add_conditional_edges("review", is_new)
    graph.add_edge("conclude", END)
    return graph


METHOD = Method(
    name="critic_toxicity",
    about="CRITIC on texts: score how toxic it is, rewrite it until it is clean",
    paper="2305.11738",
    kind="corrects",
    draft="continuation",
    tasks={"score": ("toxicity_critique",), "rewrite": ("rewrite",)},
    unasked=lambda context: ("rewrite",) if context.rounds == 0 else (),
    tools=("toxicity",),
    settings=(
        parts.RoundSettings,
        parts.CriticSettings,
        parts.ReviewSettings,
        parts.ToxicityGateSettings,
    ),
)

graph = METHOD.compile(build())
