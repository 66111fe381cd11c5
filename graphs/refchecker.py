"""RefChecker: reference-based fine-grained hallucination checking (Hu et al. 2024, arXiv 2405.14486).

draft       take the response, or draft an answer to the question (`draft` chooses how)
extract     every claim that it makes, true or false; or the caller's own claims      no claim -> it abstained
research    without references (zero context): search for each sentence that has claims
references  decide which claims are checked against which passages
check       does the passage support the claim, contradict it, or neither? several claims per call, all calls at once
            (of several checkers, the majority decides)
aggregate   merge the passages' labels claim by claim, then sum up: shares, the worst, the most common
localise    find the words that state each claim, and the sentence that decided it
"""

from typing import Literal

from langgraph.graph import END, START, StateGraph
from langgraph.types import Send

from ..nodes import of_run, research, settings, step
from ..nodes.refchecker import aggregate, asked, begin, check, extract, localise, queries, references
from ..nodes.refchecker.claims import EXTRACTORS
from ..state import Context, parts
from ..state.methods.refcheck import RefCheckInput, RefCheckResult, RefCheckState
from .drafting import Drafting
from .method import DRAFTING, Method


def needs_draft(state: RefCheckState) -> Literal["draft", "extract"]:
    """Check the caller's own response as it is."""
    return "extract" if state["text"] else "draft"


def has_claims(state: RefCheckState) -> list[Send] | Literal["references", "aggregate"]:
    """Without claims, conclude that the model abstained. Without references, search for each sentence with a claim."""
    if not state["statements"]:
        return "aggregate"
    if state["references"]:
        return "references"
    return [Send("research", {"asked": query, **of_run(state)}) for query in queries(state, settings(state))]


def each_job(state: RefCheckState) -> list[Send] | Literal["aggregate"]:
    """Check everything at once. If nothing was found there is nothing to join, so go on."""
    return [Send("check", {**job, **of_run(state)}) for job in asked(state)] or "aggregate"


def build() -> StateGraph[RefCheckState, Context, RefCheckInput, RefCheckResult]:
    """The uncompiled graph. Compile it with the checkpointer, store or cache of your choice."""
    graph = StateGraph(
        RefCheckState, context_schema=METHOD.schema, input_schema=RefCheckInput, output_schema=RefCheckResult
    )

    graph.add_node("begin", step(begin, first=True))
    graph.add_node("draft", Drafting("direct"))
    graph.add_node("extract", step(extract))
    graph.add_node("research", step(research))
    graph.add_node("references", step(references))
    graph.add_node("check", step(check))
    graph.add_node("aggregate", step(aggregate))
    graph.add_node("localise", step(localise))

    graph.add_edge(START, "begin")
    graph.add_conditional_edges("begin", needs_draft)
    graph.add_edge("draft", "extract")
    graph.add_conditional_edges("extract", has_claims, ["research", "references", "aggregate"])
    graph.add_edge("research", "references")
    graph.add_conditional_edges("references", each_job, ["check", "aggregate"])
    graph.add_edge("check", "aggregate")
    graph.add_edge("aggregate", "localise")
    graph.add_edge("localise", END)
    return graph


METHOD = Method(
    name="refchecker",
    about="Split a response into claims; check each against references",
    paper="2405.14486",
    kind="checks",
    draft="direct",
    tasks={"extract": ("extract", "extract_subsentences"), "research": ("rank",), "check": ("check",)},
    unasked=lambda context: tuple(task.name for form, task in EXTRACTORS.items() if form != context.claim_format),
    tools=("search",),
    settings=(
        parts.PageSettings,
        parts.WindowSettings,
        *DRAFTING,
        parts.PassageSettings,
        parts.ClaimSettings,
        parts.JudgeSettings,
    ),
)

graph = METHOD.compile(build())
