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

from langgraph.graph import END

from ..nodes import step
from ..nodes.rarr import apply, attribute, fuse
from ..state import parts
from .method import DRAFTING, Method
from .rarr import Correction, researched


def build() -> Correction:
    """The uncompiled graph. Compile it with the checkpointer, store or cache of your choice."""
    graph = researched(METHOD)

    graph.add_node("fuse", step(fuse))
    graph.add_node("apply", step(apply))
    graph.add_node("attribute", step(attribute))

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
        parts.AskingSettings,
        parts.EditSettings,
        parts.FusedSettings,
        parts.AttributionSettings,
        parts.ReviewSettings,
    ),
)

graph = METHOD.compile(build())
