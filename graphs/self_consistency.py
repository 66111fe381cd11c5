"""CoT-SC: self-consistency (Wang et al. 2023, arXiv 2203.11171).

sample and vote    several chains of thought in one request; the first of those with the majority answer
"""

from ..nodes.drafts import vote
from ..state import parts
from .baseline import Baseline, baseline
from .method import Method


def build() -> Baseline:
    """The uncompiled graph. Compile it with the checkpointer, store or cache of your choice."""
    return baseline(METHOD, vote)


METHOD = Method(
    name="self_consistency",
    about="Baseline: sample chains of thought and take the majority's answer",
    paper="2203.11171",
    kind="drafts",
    tasks={"draft": ("samples",)},
    settings=(parts.SampleSettings,),
)

graph = METHOD.compile(build())
