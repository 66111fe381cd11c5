"""Rejection sampling: the best of several chains of thought, given the right answer (CRITIC; evaluation only)."""

from ..nodes.drafts import best_of
from ..state import parts
from .baseline import Baseline, baseline
from .method import Method


def build() -> Baseline:
    """The uncompiled graph. Compile it with the checkpointer, store or cache of your choice."""
    return baseline(METHOD, best_of)


METHOD = Method(
    name="rejection_sampling",
    about="Evaluation only: take the one of several answers that is closest to the right one",
    kind="drafts",
    tasks={"draft": ("samples",)},
    gold="needed",
    settings=(parts.SampleSettings,),
)

graph = METHOD.compile(build())
