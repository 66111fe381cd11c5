"""RARR: Researching and Revising What Language Models Say (Gao et al. 2023, arXiv 2210.08726).

draft      take the text, or answer the question (`draft` chooses how)
questions  ask everything needed to verify each part of the text, in 3 rounds (section 3.1)
research   for each question at once: search, cut 5 pages into windows of 4 sentences, rank, keep the best
pool       pairs of question and evidence, in question order
gate       does the evidence agree with the current text? (section 3.2)   agrees or says nothing -> next pair
edit       if it disagrees: find the wrong span and rewrite only that
apply      refuse an edit of more than 50 characters or half of the text (and show it to a person, if requested)
attribute  choose the 5 pieces of evidence that best cover the questions (section 3.1)

The ablations: with `questions="sentence"`, sentences takes the place of questions, and looks up each as it stands;
with `gate=False`, every pair is edited. With `editor="fused"`, fuse makes one edit from all the evidence, as in PURR.
"""

from typing import Literal

from langgraph.graph import END, START, StateGraph
from langgraph.types import Send

from ..models.tasks.correction import AGREEMENT, EDIT
from ..nodes import of_run, research, settings, step
from ..nodes.budget import affords
from ..nodes.rarr import apply, attribute, begin, edit, fuse, gate, open_check, pool, questions, sentences, unasked
from ..state import Context, Result, parts
from ..state.methods.correction import CorrectionInput, CorrectionState
from .drafting import Drafting
from .method import DRAFTING, Method

Correction = StateGraph[CorrectionState, Context, CorrectionInput, Result]


def needs_draft(state: CorrectionState) -> Literal["draft", "questions", "sentences"]:
    """Correct the caller's own text as it is."""
    return what_to_ask(state) if state["text"] else "draft"


def what_to_ask(state: CorrectionState) -> Literal["questions", "sentences"]:
    """Ask about the text, or take its sentences for the questions."""
    return "sentences" if settings(state).questions == "sentence" else "questions"


def each_question(state: CorrectionState) -> list[Send] | Literal["attribute"]:
    """Research every question at once. Without questions there is nothing to join, so go on."""
    return [Send("research", {"asked": question, **of_run(state)}) for question in state["questions"]] or "attribute"


def how_to_edit(state: CorrectionState) -> Literal["gate", "edit", "attribute", "fuse"]:
    """Edit pair by pair, or everything at once."""
    return "fuse" if settings(state).editor == "fused" else next_pair(state)


def next_pair(state: CorrectionState) -> Literal["gate", "edit", "attribute"]:
    """Ask the gate about the next pairs. Without a gate, edit as if it were open."""
    return "gate" if settings(state).gate else gate_is_open(state)


def gate_is_open(state: CorrectionState) -> Literal["edit", "gate", "attribute"]:
    """Edit only on a contradiction. The first open pair of a passage is edited before later pairs count.

    If the budget has no model call left for what is due, the text stays as it is.
    """
    context = settings(state)
    numbers = range(len(state["passages"]))
    if any(open_check(state["checks"], number, gated=context.gate) is not None for number in numbers):
        return "edit" if affords(state, context, EDIT) else "attribute"
    return "gate" if unasked(state["checks"]) and affords(state, context, AGREEMENT) else "attribute"


def researched(method: Method) -> Correction:
    """The start of RARR and PURR: a draft, questions about it, and the evidence for each question."""
    graph = StateGraph(
        CorrectionState, context_schema=method.schema, input_schema=CorrectionInput, output_schema=Result
    )

    graph.add_node("begin", step(begin, first=True))
    graph.add_node("draft", Drafting("direct"))
    graph.add_node("questions", step(questions))
    graph.add_node("sentences", step(sentences))
    graph.add_node("research", step(research))
    graph.add_node("pool", step(pool))

    graph.add_edge(START, "begin")
    graph.add_conditional_edges("begin", needs_draft)
    graph.add_conditional_edges("draft", what_to_ask)
    graph.add_conditional_edges("questions", each_question, ["research", "attribute"])
    graph.add_conditional_edges("sentences", each_question, ["research", "attribute"])
    graph.add_edge("research", "pool")
    return graph


def build() -> Correction:
    """The uncompiled graph. Compile it with the checkpointer, store or cache of your choice."""
    graph = researched(METHOD)

    graph.add_node("gate", step(gate))
    graph.add_node("edit", step(edit))
    graph.add_node("fuse", step(fuse))
    graph.add_node("apply", step(apply))
    graph.add_node("attribute", step(attribute))

    graph.add_conditional_edges("pool", how_to_edit)
    graph.add_conditional_edges("gate", gate_is_open)
    graph.add_edge("edit", "apply")
    graph.add_edge("fuse", "apply")
    graph.add_conditional_edges("apply", next_pair)
    graph.add_edge("attribute", END)
    return graph


def unneeded(context: Context) -> set[str]:
    """The tasks that the ablations, or a fused edit, leave out."""
    fused = context.editor == "fused"
    return {
        *(("queries",) if context.questions == "sentence" else ()),
        *(("edit",) if fused else ("edit_all",)),
        *(("agreement",) if fused or not context.gate else ()),
        *(("agreements",) if fused or not context.gate or context.gating != "joint" else ()),
    }


METHOD = Method(
    name="rarr",
    about="Research and revise: ask about each claim, find evidence, edit what it contradicts",
    paper="2210.08726",
    kind="corrects",
    draft="direct",
    tasks={
        "questions": ("queries",),
        "research": ("rank",),
        "gate": ("agreement", "agreements", "edit"),
        "edit": ("edit",),
        "fuse": ("edit_all",),
        "attribute": ("rank",),
    },
    unasked=unneeded,
    tools=("search",),
    settings=(
        parts.PageSettings,
        parts.WindowSettings,
        *DRAFTING,
        parts.PassageSettings,
        parts.QuestionSettings,
        parts.AskingSettings,
        parts.GateSettings,
        parts.JudgeSettings,
        parts.EditSettings,
        parts.FusedSettings,
        parts.AttributionSettings,
        parts.ReviewSettings,
    ),
)

graph = METHOD.compile(build())
