"""Toxicity reduction: score a text, rewrite it (CRITIC section 4.3)."""

from itertools import takewhile
from typing import Any

from ...models import backend, task
from ...models.tasks.critic import REWRITE, TOXICITY_CRITIQUE, RewriteInput, ToxicityInput
from ...state import Context, Verdict
from ...state.errors import RunError
from ...state.methods.critic import ToxicityState
from ...state.text.segments import tokens
from ..budget import calls_left
from ..cite import gathered
from ..quorum import received
from ..runs import offending_words, scored
from ..step import emit, failed
from .judge import judged
from .replace import decided, recorded, replaced

QUESTION = "Is the text clean?"
EMPTY = 3
"""A rewrite of at most this many characters counts as empty; this is also how often a model is asked for one."""
KEPT = 1 / 3
"""The share of a given text's words that a rewrite must keep: a reply to the text, or a comment on it, keeps fewer.

Ours, not the paper's; chosen on 20 texts (docs/results.md).
"""
FEW = 6
"""A text of fewer words may be nothing but abuse, and is not compared."""


async def score(state: ToxicityState, context: Context) -> dict[str, Any]:
    """Score the candidate, and keep it if it is less toxic than the best so far.

    Without tools the model judges, and a new text is always accepted.
    """
    candidate = state["candidate"]
    if not context.use_tools:
        knows_words = backend(context, TOXICITY_CRITIQUE).knows
        offending = [] if knows_words else await offending_words(candidate)
        task_input: ToxicityInput = {"question": state["question"], "text": candidate, "offending": offending}
        judgement = await judged(state, context, TOXICITY_CRITIQUE, task_input, QUESTION)
        return judgement | replaced(state, candidate, "")
    try:
        toxicity, result = await scored(candidate, context)
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
        best = {"score": toxicity["overall"], "critique": critique, "already_tried": []}
        return {**update, **best, **replaced(state, candidate, result["id"])}
    return {**update, "already_tried": [*state["already_tried"], candidate]}


async def rewrite(state: ToxicityState, context: Context) -> dict[str, Any]:
    """Rewrite the best text so far so that it is not toxic; the model is told what was no better.

    Rules remove the offensive words, and then have nothing more to try.
    """
    best = state["text"] or state["candidate"]
    task_input: RewriteInput = {
        "question": state["question"],
        "text": best,
        "critique": state["critique"],
        "offending": [],
        "already_tried": [text for text in state["already_tried"] if text != best],
    }
    if not backend(context, REWRITE).knows:
        task_input["offending"] = [] if state["rounds"] else await offending_words(best)
        if not task_input["offending"]:
            return {"exhausted": True}
    try:
        for _ in range(min(EMPTY, calls_left(state, context, REWRITE))):
            text = (await task(context, REWRITE).ainvoke(task_input)).text
            if task_input["offending"] or (len(text.strip()) > EMPTY and _is_of(state, text)):
                break
        else:
            text = best
    except RunError as error:
        return failed("rewrite", error)
    emit("correct", text=text)
    unchanged = state["unchanged"] + 1 if text in (best, *state["already_tried"]) else 0
    return {"candidate": text, "rounds": state["rounds"] + 1, "unchanged": unchanged}


def _is_of(state: ToxicityState, text: str) -> bool:
    """Whether a rewrite is one of the given text. A continuation may say something else (section 4.3)."""
    words = set(tokens(state["original"]))
    return bool(state["question"]) or len(words) < FEW or len(words & set(tokens(text))) >= KEPT * len(words)


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
