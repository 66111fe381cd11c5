"""PoT: program of thought (Chen et al. 2023, arXiv 2211.12588).

draft      write a program whose result is the answer
execute    run it in a sandbox
"""

from typing import Literal

from ..nodes import step
from ..nodes.drafts import run_program, write_program
from ..state.methods.drafts import DraftState
from .baseline import Baseline, baseline
from .method import Method


def has_program(state: DraftState) -> Literal["execute", "conclude"]:
    """Run the program, if there is one."""
    return "execute" if state["text"] else "conclude"


def build() -> Baseline:
    """The uncompiled graph. Compile it with the checkpointer, store or cache of your choice."""
    graph = baseline(METHOD, write_program, ends=False)
    graph.add_node("execute", step(run_program))

    graph.add_conditional_edges("draft", has_program)
    graph.add_edge("execute", "conclude")
    return graph


METHOD = Method(
    name="program_of_thought",
    about="Baseline: write a program and run it",
    paper="2211.12588",
    kind="drafts",
    tasks={"draft": ("program",)},
    tools=("python",),
    programs=True,
)

graph = METHOD.compile(build())
