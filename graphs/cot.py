"""CoT: answer a question with a chain of thought (Wei et al. 2022, arXiv 2201.11903)."""

from ..nodes.drafts import cot
from .baseline import Baseline, baseline
from .method import Method


def build() -> Baseline:
    """The uncompiled graph. Compile it with the checkpointer, store or cache of your choice."""
    return baseline(METHOD, cot)


METHOD = Method(
    name="cot",
    about="Baseline: answer with a chain of thought",
    paper="2201.11903",
    kind="drafts",
    tasks={"draft": ("cot",)},
)

graph = METHOD.compile(build())
