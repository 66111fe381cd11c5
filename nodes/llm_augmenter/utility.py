"""The utility (LLM-Augmenter): score a response, and say what to improve."""

from typing import Any

from ...models import backend, task
from ...models.tasks.dialogue import RESPOND, SELF_CRITICISM, UTILITY, Feedback, FeedbackInput
from ...state import Context, Edit, Label, Verdict, cites
from ...state.errors import RunError
from ...state.methods.augmenter import AugmenterState, Score
from ...state.text.answers import kf1
from ...state.text.segments import sentences_of, tokens
from ..budget import affords, why_spent
from ..quorum import judged
from ..step import emit, failed
from .memory import best, read, response

NAMES = {"kf1": "KF1", "model": "utility"}
"""The name of each utility in a reason."""
QUESTION = "Does the response rest on the evidence?"
USED = 0.5
"""The share of a statement's words from which on a response uses it."""
MOST_NAMED = 3
"""The most statements that feedback names."""


async def utility(state: AugmenterState, context: Context) -> dict[str, Any]:
    """Score the last candidate, and keep the best one.

    One that says that the evidence does not answer the message is not scored: nothing is wrong with it.
    """
    candidate = read(state, state["candidates"][-1])
    score: Score = {
        "text": candidate.text,
        "kf1": kf1(candidate.text, " ".join(piece["text"] for piece in state["evidence"]))
        if state["evidence"]
        else None,
        "fluency": None,
        "informativeness": None,
        "factuality": None,
        "overall": None,
        "silent": candidate.silent,
    }
    update: dict[str, Any] = {}
    reason = ""
    if context.utility == "model" and not affords(state, context, UTILITY):
        update, reason = {"spent": True}, why_spent(state, context)[1]
    elif not candidate.silent:
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
    task_input: FeedbackInput = {
        **response(state, read(state, state["candidates"][-1]).text),
        "reason": state["judgement"],
    }
    if context.feedback == "rules":
        criticism = template(task_input)
    elif not affords(state, context, SELF_CRITICISM, RESPOND):
        return {"spent": True}
    else:
        try:
            criticism = await task(context, SELF_CRITICISM).ainvoke(task_input)
        except RunError as error:
            return failed(SELF_CRITICISM.name, error)
    verdict = state["verdicts"][-1]
    if criticism.contradicts:
        verdict = {**verdict, "label": "contradiction"}
    return {
        "critique": criticism.text,
        "feedback": [*state["feedback"], criticism.text],
        "verdicts": [*state["verdicts"][:-1], verdict],
    }


def template(task_input: FeedbackInput) -> Feedback:
    """Feedback without a model: the evidence that a response leaves out, and what its judge said of it."""
    said = set(tokens(task_input["text"]))
    statements = dict.fromkeys(statement for passage in task_input["passages"] for statement in sentences_of(passage))
    words_of = {statement: set(tokens(statement)) for statement in statements}
    unused = [statement for statement, words in words_of.items() if len(said & words) < USED * len(words)]
    lines = [f'The response does not use this evidence: "{statement}"' for statement in unused[:MOST_NAMED]]
    lines += [task_input["reason"]] if task_input.get("reason") else []
    advice = "Much of the response is not in the evidence: say what the evidence says, and leave out the rest."
    return Feedback(text="\n".join(lines) or advice)


async def _mark(score: Score, state: AugmenterState, context: Context) -> str:
    """Compute the score that is compared with the threshold, and the comment on it."""
    if context.utility != "model":
        score["overall"] = score["kf1"]
        return ""
    sides = await task(context, UTILITY).ainvoke(response(state, score["text"]))
    score["fluency"], score["informativeness"] = sides.fluency, sides.informativeness
    score["factuality"] = sides.factuality
    score["overall"] = min(sides.fluency, sides.informativeness, sides.factuality)
    return sides.reason


def _verdict(score: Score, reason: str, state: AugmenterState, context: Context) -> Verdict:
    """The score as a verdict. It counts if a failed step left nothing, or only part, to compare with."""
    mark = score["overall"]
    label: Label = "neutral"
    failure = next((record["reason"] for record in state["failures"] if record["unchecked"]), "")
    if mark is None:
        reason = reason or failure
        why = reason or (
            "it says that the evidence does not answer the message" if score["silent"] else "there is no evidence"
        )
        label = "error" if reason else "neutral"
    else:
        # Shared words are no comparison: only a model compares a response with the evidence.
        if mark >= context.passing and context.utility == "model" and state["evidence"]:
            label = "entailment"
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
