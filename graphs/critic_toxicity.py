"""CRITIC on texts: toxicity reduction (Gou et al. 2024, arXiv 2305.11738, section 4.3).

draft    take the text, or continue the prompt
score    how toxic is it?              below the threshold -> stop; the least toxic text so far is kept
rewrite  a different text, told how toxic this one is and in which way; then score again, bounded by `rounds`
review   a person decides on it before it is scored, if the Context asks for review
"""

from typing import Literal

from langgraph.graph import END, START, StateGraph

from ..nodes import settings, step
from ..nodes.begin import begin_critic
from ..nodes.critic.loop import conclude_critic
from ..nodes.critic.toxicity import review_rewrite, rewrite, score
from ..nodes.drafts.answers import continuation
from ..state import Context, parts
from ..state.critic import CriticInput, CriticResult, CriticState
from ..state.given import SCHEMA
from .method import Method

ROUNDS = 4


def needs_draft(state: CriticState) -> Literal["draft", "score"]:
    """A text of the caller's own is scored as it is."""
    return "score" if state["text"] else "draft"


def has_text(state: CriticState) -> Literal["score", "conclude"]:
    """A text that could not be written cannot be scored."""
    return "conclude" if state["stopped"] else "score"


def decide(state: CriticState) -> Literal["rewrite", "conclude"]:
    """Rewrite what is not clean, while there are rounds left and rewriting changes anything."""
    context = settings(state)
    done = state["rounds"] >= context.rounds_or(ROUNDS) or state["unchanged"] >= context.patience
    return "conclude" if state["stopped"] or done else "rewrite"


def is_reviewed(state: CriticState) -> Literal["review", "score", "conclude"]:
    """A new text is scored at once, or after a person has seen it. One that could not be written cannot be scored."""
    context = settings(state)
    new = state["candidate"] != state["text"]
    return "conclude" if state["stopped"] else "review" if context.review and new else "score"


def is_new(state: CriticState) -> Literal["score", "rewrite", "conclude"]:
    """What a person rejected leaves nothing new to score."""
    return "score" if state["candidate"] != state["text"] else decide(state)


def build() -> StateGraph[CriticState, Context, CriticInput, CriticResult]:
    """The uncompiled graph. Compile it with the checkpointer, store or cache of your choice."""
    graph = StateGraph(CriticState, context_schema=SCHEMA, input_schema=CriticInput, output_schema=CriticResult)

    graph.add_node("begin", step(begin_critic, first=True))
    graph.add_node("draft", step(continuation))
    graph.add_node("score", step(score))
    graph.add_node("rewrite", step(rewrite))
    graph.add_node("review", step(review_rewrite))
    graph.add_node("conclude", step(conclude_critic))

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
    tasks=("toxicity_critique",),
    chosen=lambda context: () if context.rounds == 0 else ("rewrite",),
    tools=("toxicity",),
    settings=(parts.RoundSettings, parts.CriticSettings, parts.ReviewSettings, parts.ToxicitySettings),
)

graph = build().compile(name="critic_toxicity")
graph.stream_mode = "values"  # in a pipe, what streams on is then the state, not one node's update
