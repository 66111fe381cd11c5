"""Verify-and-Edit: a knowledge-enhanced chain of thought (Zhao et al. 2023, arXiv 2305.03268).

sample   5 chains of thought (`samples`); how many reach the same answer?    half of them or more -> done, unchanged
split    the chain with the majority answer into sentences
verify   sentence by sentence: ask, look up 3 sentences, answer from them (without `chain`, all sentences at once)
apply    replace the sentences with the answers (after review by a person, if requested)
answer   again, from the corrected chain of thought, if anything in it was corrected
replace  put the new answer into `The answer is ...` (after review by a person, if requested)
"""

from typing import Literal

from langgraph.graph import END, START, StateGraph
from langgraph.types import Send

from ..nodes import of_run, settings, step
from ..nodes.verify_and_edit import (
    affordable,
    answer_again,
    apply,
    begin,
    conclude,
    corrected,
    replace_answer,
    sample,
    split,
)
from ..state import Context, parts
from ..state.methods.verification import VerifyInput, VerifyResult, VerifyState, is_sure
from .method import Method
from .verification import verification


def needs_samples(state: VerifyState) -> Literal["sample", "split"]:
    """Always verify the caller's own chain of thought, whose consistency is unknown."""
    return "split" if state["text"] else "sample"


def is_unsure(state: VerifyState) -> Literal["split", "conclude"]:
    """Edit if and only if the consistency is below the threshold (section 3.1).

    By default the threshold is half the number of paths, rounded up (section 5.4). Missing paths agree with none.
    """
    return "split" if state["paths"] and not is_sure(state, settings(state)) else "conclude"


def unverified(state: VerifyState) -> list[Send] | Literal["answer", "conclude"]:
    """Verify all sentences that the budget allows at once; with `chain`, the next one, shown with those before it."""
    context = settings(state)
    waiting = [sentence for sentence in state["sentences"] if sentence["label"] is None]
    due = waiting[: min(affordable(state, context), 1 if context.chain else len(waiting))]
    return [
        Send(
            "verify",
            {
                "sentence": sentence,
                "question": state["question"],
                "rationale": corrected(state["sentences"][: sentence["number"]]) if context.chain else "",
                "paragraphs": state["paragraphs"],
                **of_run(state),
            },
        )
        for sentence in due
    ] or needs_answer(state)


def needs_answer(state: VerifyState) -> Literal["answer", "conclude"]:
    """Answer again only if the chain of thought has changed (section 3.3).

    If a sentence could not be checked, keep the answer: that sentence might be the decisive one.
    """
    labels = [sentence["label"] for sentence in state["sentences"]]
    changed = any(sentence["after"] != sentence["before"] for sentence in state["sentences"])
    is_other = changed and "error" not in labels
    return "answer" if state["question"] and (is_other or not state["answer"]) else "conclude"


def build() -> StateGraph[VerifyState, Context, VerifyInput, VerifyResult]:
    """The uncompiled graph. Compile it with the checkpointer, store or cache of your choice."""
    graph = StateGraph(VerifyState, context_schema=METHOD.schema, input_schema=VerifyInput, output_schema=VerifyResult)

    graph.add_node("begin", step(begin, first=True))
    graph.add_node("sample", step(sample))
    graph.add_node("split", step(split))
    graph.add_node("verify", verification())
    graph.add_node("apply", step(apply))
    graph.add_node("answer", step(answer_again))
    graph.add_node("replace", step(replace_answer))
    graph.add_node("conclude", step(conclude))

    graph.add_edge(START, "begin")
    graph.add_conditional_edges("begin", needs_samples)
    graph.add_conditional_edges("sample", is_unsure)
    graph.add_conditional_edges("split", unverified, ["verify", "answer", "conclude"])
    graph.add_edge("verify", "apply")
    graph.add_conditional_edges("apply", unverified, ["verify", "answer", "conclude"])
    graph.add_edge("answer", "replace")
    graph.add_edge("replace", "conclude")
    graph.add_edge("conclude", END)
    return graph


METHOD = Method(
    name="verify_and_edit",
    about="Verify-and-Edit: check a chain of thought the samples disagree on",
    paper="2305.03268",
    kind="corrects",
    drafting="sample",
    tasks={
        "sample": ("chains", "claim_chains"),
        "verify": ("verifying_question", "verifying_answer", "rank"),
        "answer": ("final_answer", "claim_answer"),
    },
    unasked=lambda context: ("chains", "final_answer") if context.claim else ("claim_chains", "claim_answer"),
    tools=("search",),
    settings=(
        parts.PageSettings,
        parts.SampleSettings,
        parts.VerifySettings,
        parts.ReviewSettings,
    ),
)

graph = METHOD.compile(build())
