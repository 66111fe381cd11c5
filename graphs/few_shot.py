"""Few-shot: answer a question in a few words, after worked examples (CRITIC's first baseline, section 4.1)."""

from ..nodes.drafts import few_shot
from .baseline import Baseline, baseline
from .method import Method


def build() -> Baseline:
    """The uncompiled graph. Compile it with the checkpointer, store or cache of your choice."""
    return baseline(METHOD, few_shot)


METHOD = Method(
    name="few_shot",
    about="Baseline: answer in a few words, after worked examples",
    kind="drafts",
    tasks={"draft": ("answer",)},
)

graph = METHOD.compile(build())
