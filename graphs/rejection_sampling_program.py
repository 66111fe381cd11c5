"""Rejection sampling over programs: the one of several whose result is right (CRITIC section 4.2; evaluation only).

draft      write several programs in one request
execute    run each in a sandbox, all at once
choose     take the first whose result is right, given the right answer
"""

from typing import Literal

from langgraph.types import Send

from ..nodes import of_run, step
from ..nodes.drafts import choose_program, run_sampled, sample_programs
from ..state import parts
from ..state.methods.drafts import DraftState
from .baseline import Baseline, baseline
from .method import Method


def each_program(state: DraftState) -> list[Send] | Literal["conclude"]:
    """Run all programs at once. If there is none there is nothing to choose from."""
    sent = [{"number": number, "program": program} for number, program in enumerate(state["programs"])]
    return [Send("execute", {**each, **of_run(state)}) for each in sent] or "conclude"


def build() -> Baseline:
    """The uncompiled graph. Compile it with the checkpointer, store or cache of your choice."""
    graph = baseline(METHOD, sample_programs, ends=False)
    graph.add_node("execute", step(run_sampled))
    graph.add_node("choose", step(choose_program))

    graph.add_conditional_edges("draft", each_program, ["execute", "conclude"])
    graph.add_edge("execute", "choose")
    graph.add_edge("choose", "conclude")
    return graph


METHOD = Method(
    name="rejection_sampling_program",
    about="Evaluation only: take the one of several programs whose result is right",
    kind="drafts",
    tasks={"draft": ("program",)},
    tools=("python",),
    programs=True,
    gold="needed",
    settings=(parts.SampleSettings,),
)

graph = METHOD.compile(build())
