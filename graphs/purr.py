"""PURR: Efficiently Editing Language Model Hallucinations by Denoising Language Model Corruptions (Chen et al. 2023).

arXiv 2305.14908

draft      take the text, or answer the question (`draft` chooses how)
questions  ask everything needed to verify each part of the text (a small model, where one is named)
research   for each question at once: search, cut into windows, rank, keep the best
pool       pairs of question and evidence, in question order
fuse       one edit of each passage over the 4 pieces of evidence that cover its questions best; no gate is asked
apply      lay the edit out as changes of words, guard each (and show it to a person, if wanted)
attribute  choose the evidence that covers the questions best
"""

from langgraph.graph import END, START, StateGraph

from ..nodes import research, step
from ..nodes.rarr import apply, attribute, begin, fuse, pool, questions
from ..state import Context, Result, parts
from ..state.correction import CorrectionInput, CorrectionState
from .drafting import Drafting
from .method import DRAFTING, Method
from .rarr import each_question, needs_draft


def build() -> StateGraph[CorrectionState, Context, CorrectionInput, Result]:
    """The uncompiled graph. Compile it with the checkpointer, store or cache of your choice."""
    graph = StateGraph(
        CorrectionState, context_schema=METHOD.schema, input_schema=CorrectionInput, output_schema=Result
    )

    graph.add_node("begin", step(begin, first=True))
    graph.add_node("draft", Drafting("direct"))
    graph.add_node("questions", step(questions))
    graph.add_node("research", step(research))
    graph.add_node("pool", step(pool))
    graph.add_node("fuse", step(fuse))
    graph.add_node("apply", step(apply))
    graph.add_node("attribute", step(attribute))

    graph.add_edge(START, "begin")
    graph.add_conditional_edges("begin", needs_draft)
    graph.add_edge("draft", "questions")
    graph.add_conditional_edges("questions", each_question, ["research", "attribute"])
    graph.add_edge("research", "pool")
    graph.add_edge("pool", "fuse")
    graph.add_edge("fuse", "apply")
    graph.add_edge("apply", "attribute")
    graph.add_edge("attribute", END)
    return graph


METHOD = Method(
    name="purr",
    about="RARR with one fused edit over all evidence, by a small model",
    paper="2305.14908",
    kind="corrects",
    draft="direct",
    tasks=("queries", "rank", "edit_all"),
    tools=("search",),
    settings=(
        parts.PageSettings,
        parts.WindowSettings,
        *DRAFTING,
        parts.PassageSettings,
        parts.QuestionSettings,
        parts.EditSettings,
        parts.FusedSettings,
        parts.AttributionSettings,
        parts.ReviewSettings,
    ),
)

graph = METHOD.compile(build())
