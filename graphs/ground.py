"""Ground: revise each passage once with all its evidence, and keep only changes that follow from the evidence.

Ours, after RARR's research (arXiv 2210.08726), PURR's single edit (2305.14908) and RefChecker's labels (2405.14486).

draft      take the text, or answer the question (`draft` chooses how)
questions  without references (or with `research`): ask what would verify each passage, in one request
research   for each question at once: search, rank, keep the best
gather     for each passage, the evidence about the same thing, as much as fits
revise     one call corrects the passage: small models write it again, strong ones name and quote each change
verify     no model: refuse every change that cannot be shown to follow from the evidence
           named changes were refused -> revise once more, with the reasons
apply      make the accepted changes (and show them to a person, if requested)
conclude   label every sentence, and quote the evidence for it
"""

from typing import Literal

from langgraph.graph import END, START, StateGraph
from langgraph.types import Send

from ..models.tasks.grounding import REVISE
from ..nodes import research, settings, step
from ..nodes.budget import affords
from ..nodes.ground import apply, begin, conclude, due, gather, questions, revise, verify
from ..state import Context, parts
from ..state.methods.grounding import GroundInput, GroundResult, GroundState
from .drafting import Drafting
from .method import DRAFTING, Method


def needs_draft(state: GroundState) -> Literal["draft", "gather", "questions"]:
    """Take the caller's own text as it is, and search only if there are no references."""
    if not state["text"]:
        return "draft"
    return needs_research(state)


def needs_research(state: GroundState) -> Literal["gather", "questions"]:
    """Search if there are no references, or as the settings say."""
    setting = settings(state).research
    return "questions" if setting or (setting is None and not state["references"]) else "gather"


def each_question(state: GroundState) -> list[Send] | Literal["gather"]:
    """Research every question at once. Without questions there is nothing to join, so go on."""
    run_settings = state["settings"]
    return [
        Send("research", {"asked": question, "settings": run_settings}) for question in state["questions"]
    ] or "gather"


def needs_revision(state: GroundState) -> Literal["revise", "apply"]:
    """Revise passages that have evidence, and once more those with refused changes, while the budget has calls left."""
    return "revise" if due(state) and affords(state, settings(state), REVISE) else "apply"


def build() -> StateGraph[GroundState, Context, GroundInput, GroundResult]:
    """The uncompiled graph. Compile it with the checkpointer, store or cache of your choice."""
    graph = StateGraph(GroundState, context_schema=METHOD.schema, input_schema=GroundInput, output_schema=GroundResult)

    graph.add_node("begin", step(begin, first=True))
    graph.add_node("draft", Drafting("direct"))
    graph.add_node("questions", step(questions))
    graph.add_node("research", step(research))
    graph.add_node("gather", step(gather))
    graph.add_node("revise", step(revise))
    graph.add_node("verify", step(verify))
    graph.add_node("apply", step(apply))
    graph.add_node("conclude", step(conclude))

    graph.add_edge(START, "begin")
    graph.add_conditional_edges("begin", needs_draft)
    graph.add_conditional_edges("draft", needs_research)
    graph.add_conditional_edges("questions", each_question, ["research", "gather"])
    graph.add_edge("research", "gather")
    graph.add_conditional_edges("gather", needs_revision)
    graph.add_edge("revise", "verify")
    graph.add_conditional_edges("verify", needs_revision)
    graph.add_edge("apply", "conclude")
    graph.add_edge("conclude", END)
    return graph


METHOD = Method(
    name="ground",
    about="Correct a text in one call per passage, and keep only what follows from the evidence",
    kind="corrects",
    draft="direct",
    tasks={"questions": ("queries",), "research": ("rank",), "revise": ("revise", "ground"), "conclude": ("check",)},
    unasked=lambda context: ("ground",) if context.form == "rewrite" else (),
    tools=("search",),
    settings=(
        parts.PageSettings,
        parts.WindowSettings,
        *DRAFTING,
        parts.PassageSettings,
        parts.AskingSettings,
        parts.GroundSettings,
        parts.EditSettings,
        parts.JudgeSettings,
        parts.ReviewSettings,
    ),
)

graph = METHOD.compile(build())
