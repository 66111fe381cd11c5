"""Ground: revise each passage once with all its evidence, and verify each change before it is made.

Ours, after RARR's research (arXiv 2210.08726), PURR's single edit (2305.14908) and RefChecker's labels (2405.14486).

draft      take the text, or answer the question (`draft` chooses how)
questions  without references (or with `research`): ask what would verify each passage, in one request
research   for each question at once: search, rank, keep the best
gather     for each passage, the evidence about the same thing, as much as fits
revise     one call corrects the passage: it names each change with its quote, and labels each sentence
           (a small model writes the passage again: all that it changed in a sentence is one change)
verify     does the evidence have the quote? With the change, does it support the sentence, and without it not?
           one more call for all changed sentences, blind to which wording is new; a change is made whole or refused
           named changes were refused -> revise once more, with the reasons
apply      make the accepted changes (and show all to a person, if requested, who may accept what was refused)
conclude   the status of every sentence, with the words of the evidence for it; support beats contradiction
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
    about="Correct a text in one call per passage, and verify each change in one more",
    kind="corrects",
    draft="direct",
    tasks={
        "questions": ("queries",),
        "research": ("rank",),
        "revise": ("revise", "ground", "amend"),
        "verify": ("verify",),
        "conclude": ("check",),
    },
    unasked=lambda context: ("ground", "amend") if context.form == "rewrite" else (),
    tools=("search",),
    settings=(
        parts.PageSettings,
        parts.WindowSettings,
        *DRAFTING,
        parts.PassageSettings,
        parts.AskingSettings,
        parts.GroundSettings,
        parts.JudgeSettings,
        parts.ReviewSettings,
    ),
)

graph = METHOD.compile(build())
