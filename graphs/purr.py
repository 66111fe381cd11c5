"""PURR: Efficiently Editing Language Model Hallucinations by Denoising Language Model Corruptions (Chen et al. 2023).

arXiv 2305.14908

draft      take the text, or answer the question (`draft` chooses how)
questions  ask everything needed to verify each part of the text (with a small model, if one is configured)
research   for each question at once: search, cut into windows, rank, keep the best
pool       pairs of question and evidence, in question order
fuse       one edit per passage from the 4 pieces of evidence that best cover its questions, without a gate
apply      split the edit into word changes, guard each (and show it to a person, if requested)
attribute  choose the evidence that best covers the questions
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
    about="RARR with one edit from all the evidence, by a small model",
    paper="2305.14908",
    kind="corrects",
    draft="direct",
    tasks={"questions": ("queries",), "research": ("rank",), "fuse": ("edit_all",), "attribute": ("rank",)},
    unasked=lambda context: ("queries",) if context.questions == "sentence" else (),
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
