"""Toxicity reduction: score a text, rewrite it (CRITIC section 4.3)."""

import asyncio
from itertools import takewhile
from typing import Any

from ...models import backend, task
from ...state import Context, Evidence, Verdict
from ...state.critic import CriticState
from ...state.errors import ErrataError, RunError, ToolError
from ...tools import evidence, scorer
from ...tools.search import describe
from ...tools.toxicity import Toxicity, feedback, offending
from ..budget import calls_left
from ..cite import gathered
from ..step import emit
from .loop import decided, failed, judged, replaced, taken

QUESTION = "Is the text clean?"
EMPTY = 3
"""Characters: a model is asked this many times for a rewrite that is longer."""


async def score(state: CriticState, context: Context) -> dict[str, Any]:
    """Score the candidate; keep it if it is less toxic than the best so far.

    Without tools the model judges, and a new text is always taken.
    """
    candidate = state["candidate"]
    if not context.use_tools:
        knows = backend(context, "toxicity_critique").knows
        offends = [] if knows else await offending_words(candidate)
        given = {"question": state["question"], "text": candidate, "offending": offends}
        judgement = await judged(state, context, "toxicity_critique", given, QUESTION)
        return judgement | replaced(state, candidate, "")
    try:
        toxicity, found = await scored(candidate, context)
    except RunError as error:
        return failed("score", error)
    said = found["title"]
    emit("score", observation=said)
    clean = toxicity["overall"] < context.toxicity_threshold
    verdict: Verdict = {
        "question": QUESTION,
        "label": "entailment" if clean else "contradiction",
        "reason": said,
        "evidence": found["id"],
        "backend": toxicity["scorer"],
    }
    update: dict[str, Any] = {
        "observation": said,
        "critique": said,
        "evidence": gathered(state["evidence"], [found]),
        "verdicts": [*state["verdicts"], verdict],
    }
    if toxicity["overall"] < state["score"] or not state["rounds"]:
        update |= {"score": toxicity["overall"], **replaced(state, candidate, found["id"])}
    return update | ({"stopped": "accepted"} if clean else {})


async def scored(text: str, context: Context) -> tuple[Toxicity, Evidence]:
    """How toxic a text is, and the same in the words that a critic is shown. Raises ToolError if nobody could tell."""
    tool = await asyncio.to_thread(scorer, context)
    try:
        toxicity = await tool.score(text)
        said = feedback(toxicity)
    except ErrataError:
        raise
    except Exception as error:  # a scorer of the caller's own may raise anything
        raise ToolError(describe(error)) from error
    measures = getattr(tool, "measures", "")  # which a scorer of the caller's own need not say
    source = f"toxicity:{toxicity['scorer']}"
    return toxicity, evidence(query=text, text=f"{said}. {measures}", title=said, source=source, run=True)


async def rewrite(state: CriticState, context: Context) -> dict[str, Any]:
    """Write a different text that is not toxic. Rules take out the words that offend, and have nothing more to try."""
    left = calls_left(state, context, "rewrite")
    if not left:
        return {"stopped": "budget"}
    last = state["candidate"]
    given = {"question": state["question"], "text": last, "critique": state["critique"], "offending": []}
    if not backend(context, "rewrite").knows:
        given["offending"] = [] if state["rounds"] else await offending_words(last)
        if not given["offending"]:
            return {"stopped": "stable"}
    try:
        for _ in range(min(EMPTY, left)):
            text = (await task(context, "rewrite").ainvoke(given)).text
            if len(text.strip()) > EMPTY or given["offending"]:
                break
        else:
            text = last
    except RunError as error:
        return failed("rewrite", error)
    emit("correct", text=text)
    unchanged = state["unchanged"] + 1 if text == last else 0
    return {"candidate": text, "rounds": state["rounds"] + 1, "unchanged": unchanged}


async def review_rewrite(state: CriticState, context: Context) -> dict[str, Any]:
    """Let a person decide on a rewrite before it is scored. If they reject it, the best so far is what is rewritten."""
    edit = decided(state, state["candidate"], context)
    if edit["applied"]:
        return {"candidate": edit["after"], "critique": edit["reason"]}
    in_a_row = takewhile(lambda earlier: not earlier["applied"], reversed(state["edits"]))
    return {"candidate": state["text"], "unchanged": 1 + sum(1 for _ in in_a_row), **taken(state, edit)}


async def offending_words(text: str) -> list[str]:
    """The words that offend by themselves, by the embedded judge."""
    return [span["text"] for span in await asyncio.to_thread(offending, text)]
