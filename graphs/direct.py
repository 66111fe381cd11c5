"""Direct: answer a question directly, as a baseline."""

from ..nodes.drafts import direct
from .baseline import Baseline, baseline
from .method import Method


def build() -> Baseline:
    """The uncompiled graph. Compile it with the checkpointer, store or cache of your choice."""
    return baseline(METHOD, direct)


METHOD = Method(name="direct", about="Baseline: answer directly", kind="drafts", tasks={"draft": ("draft",)})

graph = METHOD.compile(build())
