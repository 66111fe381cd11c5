"""RefChecker: reference-based fine-grained hallucination checking (Hu et al. 2024, arXiv 2405.14486).

draft       take the response, or draft an answer to the question (`draft` chooses how)
extract     every claim that it makes, true or false; or the caller's own claims      no claim -> it abstained
            (a short response and its one reference: extract and check in one call, with `checking=at_once`)
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
from ..nodes.refchecker import (
    aggregate,
    asked,
    begin,
    check,
    extract,
    extract_and_check,
    is_short,
    localise,
    queries,
    references,
)
from ..nodes.refchecker.claims import EXTRACTORS
from ..state import Context, parts
from ..state.methods.refcheck import RefCheckInput, RefCheckResult, RefCheckState
from .drafting import Drafting
from .method import DRAFTING, Method


def needs_draft(state: RefCheckState) -> Literal["draft", "extract", "extract_and_check"]:
    """Check the caller's own response as it is."""
    return how_to_extract(state) if state["text"] else "draft"


def how_to_extract(state: RefCheckState) -> Literal["extract", "extract_and_check"]:
    """Extract and check in one call if that is wanted, and the response and its reference are short."""
    return "extract_and_check" if is_short(state, settings(state)) else "extract"


def is_read(state: RefCheckState) -> Literal["aggregate", "extract"]:
    """If the one call failed, make one for each."""
    return "aggregate" if state["sentences"] else "extract"


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


def unasked(context: Context) -> list[str]:
    """Which of its tasks a run with these settings has no use for."""
    other_forms = [task.name for form, task in EXTRACTORS.items() if form != context.claim_format]
    return other_forms if context.checking == "at_once" else [*other_forms, "extract_and_check"]


def build() -> StateGraph[RefCheckState, Context, RefCheckInput, RefCheckResult]:
    """The uncompiled graph. Compile it with the checkpointer, store or cache of your choice."""
    graph = StateGraph(
        RefCheckState, context_schema=METHOD.schema, input_schema=RefCheckInput, output_schema=RefCheckResult
    )

    graph.add_node("begin", step(begin, first=True))
    graph.add_node("draft", Drafting("direct"))
    graph.add_node("extract", step(extract))
    graph.add_node("extract_and_check", step(extract_and_check))
    graph.add_node("research", step(research))
    graph.add_node("references", step(references))
    graph.add_node("check", step(check))
    graph.add_node("aggregate", step(aggregate))
    graph.add_node("localise", step(localise))

    graph.add_edge(START, "begin")
    graph.add_conditional_edges("begin", needs_draft)
    graph.add_conditional_edges("draft", how_to_extract)
    graph.add_conditional_edges("extract_and_check", is_read)
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
    tasks={
        "extract": ("extract", "extract_subsentences"),
        "extract_and_check": ("extract_and_check",),
        "research": ("rank",),
        "check": ("check",),
    },
    unasked=unasked,
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
