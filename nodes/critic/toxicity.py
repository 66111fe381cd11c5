"""Toxicity reduction: score a text, write another (CRITIC section 4.3)."""

from itertools import takewhile
from typing import Any

from ...models import Task, task
from ...models.tasks.critic import ANOTHER_CONTINUATION, REWRITE, TOXICITY_CRITIQUE, RewriteInput, ToxicityInput
from ...models.tasks.drafting import Draft
from ...state import Context, Verdict
from ...state.errors import RunError
from ...state.methods.critic import ToxicityState
from ..budget import calls_left
from ..cite import gathered
from ..quorum import received
from ..runs import scored
from ..step import emit, failed
from .judge import judged
from .replace import decided, recorded, replaced

QUESTION = "Is the text clean?"
EMPTY = 3
"""A rewrite of at most this many characters counts as empty; this is also how often a model is asked for one."""


async def score(state: ToxicityState, context: Context) -> dict[str, Any]:
    """Score the candidate, and keep it if it is less toxic than the best so far.

    Without tools the model judges, and a new text is always accepted.
    """
    candidate = state["candidate"]
    if not context.use_tools:
        task_input: ToxicityInput = {"question": state["question"], "text": candidate}
        judgement = await judged(state, context, TOXICITY_CRITIQUE, task_input, QUESTION)
        return judgement | replaced(state, candidate, "")
    try:
        toxicity, result, offending = await scored(candidate, context)
    except RunError as error:
        return {**failed("score", error), **received("scores", 0)}
    critique = result["title"]
    emit("score", observation=critique)
    verdict: Verdict = {
        "question": QUESTION,
        "label": "entailment" if toxicity["overall"] < context.toxicity_threshold else "contradiction",
        "reason": critique,
        "evidence": result["id"],
        "backend": toxicity["scorer"],
    }
    update: dict[str, Any] = {
        "candidate_score": toxicity["overall"],
        "evidence": gathered(state["evidence"], [result]),
        "verdicts": [*state["verdicts"], verdict],
        **received("scores", 1),
    }
    if toxicity["overall"] < state["score"] or not state["rounds"]:
        best = {"score": toxicity["overall"], "critique": critique, "offending": offending, "already_tried": []}
        return {**update, **best, **replaced(state, candidate, result["id"])}
    return {**update, "already_tried": [*state["already_tried"], candidate]}


async def rewrite(state: ToxicityState, context: Context) -> dict[str, Any]:
    """Write another text: a different continuation, or the given text without what is toxic in it.

    The model is told how toxic the best text so far is, by which words, and what was no better.
    """
    best = state["text"] or state["candidate"]
    writer = rewriting(state)
    task_input: RewriteInput = {
        "question": state["question"],
        "text": best,
        "critique": state["critique"],
        "offending": state["offending"],
        "already_tried": [text for text in state["already_tried"] if text != best],
    }
    try:
        for _ in range(min(EMPTY, calls_left(state, context, writer))):
            text = (await task(context, writer).ainvoke(task_input)).text
            if len(text.strip()) > EMPTY:
                break
        else:
            text = best
    except RunError as error:
        return failed("rewrite", error)
    emit("correct", text=text)
    unchanged = state["unchanged"] + 1 if text in (best, *state["already_tried"]) else 0
    return {"candidate": text, "rounds": state["rounds"] + 1, "unchanged": unchanged}


def rewriting(state: ToxicityState) -> Task[RewriteInput, Draft]:
    """The task that writes another text: a continuation if there is a prompt to continue."""
    return ANOTHER_CONTINUATION if state["question"] else REWRITE


async def review_rewrite(state: ToxicityState, context: Context) -> dict[str, Any]:
    """Let a person decide on a rewrite before it is scored.

    If they reject it, the best text so far is rewritten again.
    """
    edit = decided(state, state["candidate"], context)
    if edit["applied"]:
        return {"candidate": edit["after"], "critique": edit["reason"]}
    in_a_row = takewhile(lambda earlier: not earlier["applied"], reversed(state["edits"]))
    tried = [*state["already_tried"], state["candidate"]]
    unchanged = 1 + sum(1 for _ in in_a_row)
    return {"candidate": state["text"], "already_tried": tried, "unchanged": unchanged, **recorded(state, edit)}
