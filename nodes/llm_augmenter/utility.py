"""The utility (LLM-Augmenter): score a response, and say what to improve."""

from contextlib import suppress
from typing import Any

from ...models import backend, task
from ...models.tasks.dialogue import FEEDBACK, RECALL, RESPOND, SELF_CRITICISM, UTILITY, FeedbackInput
from ...state import Context, Edit, Label, Verdict, cites
from ...state.errors import RunError
from ...state.methods.augmenter import AugmenterState, Score
from ...state.text.answers import kf1
from ..budget import affords, why_spent
from ..quorum import judged
from ..step import emit, failed
from .memory import best, response

NAMES = {"kf1": "KF1", "recall": "recall", "model": "utility"}
"""The name of each utility in a reason."""
QUESTION = "Does the response rest on the evidence?"


async def utility(state: AugmenterState, context: Context) -> dict[str, Any]:
    """Score the last candidate, and keep the best one."""
    text = state["candidates"][-1]
    score: Score = {
        "text": text,
        "kf1": kf1(text, " ".join(piece["text"] for piece in state["evidence"])) if state["evidence"] else None,
        "fluency": None,
        "informativeness": None,
        "factuality": None,
        "overall": None,
    }
    update: dict[str, Any] = {}
    if context.utility == "model" and not affords(state, context, UTILITY):
        update, reason = {"spent": True}, why_spent(state, context)[1]
    else:
        try:
            reason = await _mark(score, state, context)
        except RunError as error:
            update, reason = failed("utility", error), str(error)
    verdict = _verdict(score, reason, state, context)
    emit("utility", verdict=verdict, score=score)
    scores = [*state["scores"], score]
    return {
        **update,
        "scores": scores,
        "verdicts": [*state["verdicts"], verdict],
        "judgement": reason,
        **judged("scores", [verdict], 1),
        **_best_so_far(scores, state),
    }


async def criticise(state: AugmenterState, context: Context) -> dict[str, Any]:
    """Say what the next response should improve, and whether the last one contradicts the evidence."""
    critic = FEEDBACK if context.feedback == "rules" else SELF_CRITICISM
    if not affords(state, context, critic, RESPOND):
        return {"spent": True}
    task_input: FeedbackInput = {**response(state, state["candidates"][-1]), "reason": state["judgement"]}
    try:
        criticism = await task(context, critic).ainvoke(task_input)
    except RunError as error:
        return failed(critic.name, error)
    verdict = state["verdicts"][-1]
    if criticism.contradicts:
        verdict = {**verdict, "label": "contradiction"}
    return {
        "critique": criticism.text,
        "feedback": [*state["feedback"], criticism.text],
        "verdicts": [*state["verdicts"][:-1], verdict],
    }


async def _mark(score: Score, state: AugmenterState, context: Context) -> str:
    """Compute the score that is compared with the threshold, and the comment on it."""
    if context.utility != "model":
        score["overall"] = score["kf1"]
        if context.utility == "recall" and state["evidence"]:
            score["overall"] = (await task(context, RECALL).ainvoke(response(state, score["text"]))).share
        return await _contradicted(score, state, context)
    if not backend(context, UTILITY).knows and not state["evidence"]:
        return ""  # with nothing to compare it with
    sides = await task(context, UTILITY).ainvoke(response(state, score["text"]))
    score["fluency"], score["informativeness"] = sides.fluency, sides.informativeness
    score["factuality"] = sides.factuality
    score["overall"] = min(sides.fluency, sides.informativeness, sides.factuality)
    return sides.reason


async def _contradicted(score: Score, state: AugmenterState, context: Context) -> str:
    """Shared words say nothing of a wrong date among them: a response that the evidence contradicts scores 0."""
    if not score["overall"] or context.feedback != "rules":
        return ""
    task_input: FeedbackInput = {**response(state, score["text"]), "reason": ""}
    with suppress(RunError):  # too much to compare
        if (await task(context, FEEDBACK).ainvoke(task_input)).contradicts:
            score["overall"] = 0.0
            return "the evidence contradicts it"
    return ""


def _verdict(score: Score, reason: str, state: AugmenterState, context: Context) -> Verdict:
    """The score as a verdict. It counts if a failed step left nothing, or only part, to compare with."""
    mark = score["overall"]
    label: Label = "neutral"
    failure = next((record["reason"] for record in state["failures"] if record["unchecked"]), "")
    if mark is None:
        reason = reason or failure
        label, why = ("error", reason) if reason else ("neutral", "there is no evidence")
    else:
        if mark >= context.passing:
            label = "entailment" if _is_compared(state, context) else "neutral"
        figure = f"{NAMES[context.utility]} {mark:.2f}, threshold {context.passing:.2f}"
        why = f"{figure}: {reason}" if reason else figure
        if failure:
            label, why = "error", f"{why}, with only part of the evidence: {failure}"
    return {
        "question": QUESTION,
        "label": label,
        "reason": why,
        **cites(piece["id"] for piece in state["evidence"]),
        "backend": backend(context, UTILITY).name if context.utility == "model" else context.utility,
    }


def _is_compared(state: AugmenterState, context: Context) -> bool:
    """Whether the response was actually compared with the evidence. Shared words are not a comparison."""
    judged = context.utility == "model" and backend(context, UTILITY).bears_out
    return judged and bool(state["evidence"])


def _best_so_far(scores: list[Score], state: AugmenterState) -> dict[str, Any]:
    """The best candidate as the text, and as one edit of the whole if it is not the first."""
    text = scores[best(scores)]["text"]
    if text == state["original"]:
        return {"text": text, "edits": []}
    edit: Edit = {
        "before": state["original"],
        "after": text,
        "start": 0,
        "end": len(state["original"]),
        **cites(piece["id"] for piece in state["evidence"]),
        "reason": state["feedback"][0] if state["feedback"] else "it scores higher",
        "applied": True,
    }
    return {"text": text, "edits": [edit]}
