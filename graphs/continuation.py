"""Continuation: continue a text from where it ends, as a baseline (RealToxicityPrompts, arXiv 2009.11462)."""

from ..nodes.drafts import continuation
from .baseline import Baseline, baseline
from .method import Method


def build() -> Baseline:
    """The uncompiled graph. Compile it with the checkpointer, store or cache of your choice."""
    return baseline(METHOD, continuation)


METHOD = Method(
    name="continuation", about="Baseline: continue a text", kind="drafts", tasks={"draft": ("continuation",)}
)

graph = METHOD.compile(build())
