"""The prompt engine and the utility (LLM-Augmenter): ask for a response, score it, say what is wrong, send the best."""

from typing import Any

from ...models import Feedback, Utility, backend, task
from ...state import Context, Edit, Label, Stopped, Verdict, cites
from ...state.answers import kf1
from ...state.augmenter import ROUNDS, AugmenterState, Score
from ...state.errors import RunError
from ..budget import affords
from ..conclude import sums
from ..critic.loop import came_of, failed
from ..step import emit
from .memory import best, response

QUESTION = "Does the response rest on the evidence?"


async def prompt(state: AugmenterState, context: Context) -> dict[str, Any]:
    """Ask the model for a response: the dialogue, the evidence, and what was wrong with its last one.

    A first response of the caller's own takes the place of the model's.
    """
    tried = {"tried": [*state["tried"], "prompt"], "critique": ""}
    if state["text"] and not state["candidates"]:
        return {**tried, "candidates": [state["text"]]}
    last = state["candidates"][-1] if state["critique"] else ""
    try:
        given = {**response(state, last), "feedback": state["critique"]}
        text = (await task(context, "respond").ainvoke(given)).text
    except RunError as error:
        return {**tried, **failed("prompt", error)}
    emit("prompt", text=text)
    first = {} if state["candidates"] else {"original": text, "text": text}
    return {**tried, **first, "candidates": [*state["candidates"], text]}


async def utility(state: AugmenterState, context: Context) -> dict[str, Any]:
    """Score the last candidate, keep the best one, and say what is to be done better if there is another round."""
    if len(state["scores"]) == len(state["candidates"]):  # there is no new one
        return {}
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
    reason, said = "", None
    try:
        reason = await _mark(score, state, context)
        said = await _feedback(score, reason, state, context)
    except _Spent as error:
        update, reason = {"stopped": "budget"}, str(error)
    except RunError as error:
        update, reason = failed("utility", error), str(error)
    verdict = _verdict(score, said, reason, state, context)
    emit("utility", verdict=verdict, score=score)
    scores = [*state["scores"], score]
    return {
        **update,
        "scores": scores,
        "verdicts": [*state["verdicts"], verdict],
        "critique": said.text if said else "",
        "feedback": [*state["feedback"], said.text] if said else state["feedback"],
        **_best_so_far(scores, [*state["feedback"], *([said.text] if said else [])], state),
    }


async def send(state: AugmenterState, context: Context) -> dict[str, Any]:
    """Send the best response, and say whether it passed."""
    unchecked = [failure for failure in state["failures"] if failure["unchecked"]]
    mark = state["scores"][best(state["scores"])]["overall"] if state["scores"] else None
    tries = f"{len(state['candidates'])} response{'' if len(state['candidates']) == 1 else 's'}"
    stopped: Stopped
    if unchecked:
        more = f" ({len(unchecked) - 1} more)" if len(unchecked) > 1 else ""
        what = "the response is unchecked: " if mark is None else f"the best of {tries} is sent: "
        what = what if state["candidates"] else "there is no response: "
        stopped, reason = "error", f"{what}{unchecked[0]['step']} failed{more}: {unchecked[0]['reason']}"
    elif mark is not None and mark >= context.passing:
        stopped, reason = "accepted", f"it scores {mark:.2f}, at least {context.passing:.2f}, after {tries}"
    elif state["stopped"] == "budget":
        stopped, reason = "budget", f"the budget of model calls is spent after {tries}; this is the best so far"
    elif mark is None:
        why = "the search found nothing for it" if "consolidate" in state["tried"] else "no evidence was looked up"
        stopped, reason = "finished", f"the response is unchecked: {why}"
    else:
        of_all = f"the best of {tries}" if len(state["candidates"]) > 1 else "the only response"
        stopped, reason = "rounds", f"{of_all} is sent, though it scores {mark:.2f}, less than {context.passing:.2f}"
    verdict = state["verdicts"][best(state["scores"])] if state["scores"] else None
    wrong = verdict is not None and verdict["label"] == "contradiction"
    return {
        **came_of(state, verdict, wrong=wrong, left=reason),
        "stopped": stopped,
        "reason": reason,
        "usage": sums(state, context),
    }


class _Spent(Exception):
    """The budget has no call for what is due."""


async def _mark(score: Score, state: AugmenterState, context: Context) -> str:
    """Set what is compared with the threshold, and say what there is to say of it. Raises _Spent."""
    if context.utility == "kf1":
        score["overall"] = score["kf1"]
        return ""
    if not backend(context, "utility").knows and not state["evidence"]:
        return ""  # with nothing to compare it with
    if not affords(state, context, "utility"):
        raise _Spent("the budget of model calls is spent")
    sides: Utility = await task(context, "utility").ainvoke(response(state, score["text"]))
    score["fluency"], score["informativeness"] = sides.fluency, sides.informativeness
    score["factuality"] = sides.factuality
    score["overall"] = min(sides.fluency, sides.informativeness, sides.factuality)
    return sides.reason


async def _feedback(score: Score, reason: str, state: AugmenterState, context: Context) -> Feedback | None:
    """What to do better, if the score is below the threshold and another round is left. Raises _Spent."""
    passes = score["overall"] is None or score["overall"] >= context.passing
    if passes or context.feedback == "none" or len(state["candidates"]) > context.rounds_or(ROUNDS):
        return None
    name = "feedback" if context.feedback == "rules" else "self_criticism"
    if not affords(state, context, name, "respond"):
        raise _Spent(f"{reason} The budget of model calls is spent.".strip())
    said: Feedback = await task(context, name).ainvoke({**response(state, score["text"]), "reason": reason})
    return said


def _verdict(score: Score, said: Feedback | None, reason: str, state: AugmenterState, context: Context) -> Verdict:
    """The score in words. Where there was nothing to compare with because a search failed, that is the verdict."""
    mark = score["overall"]
    label: Label = "neutral"
    if mark is None:
        reason = reason or next((each["reason"] for each in state["failures"] if each["unchecked"]), "")
        label, why = ("error", reason) if reason else ("neutral", "there is no evidence")
    else:
        if mark >= context.passing:
            label = "entailment" if _is_compared(state, context) else "neutral"
        elif said and said.contradicts:
            label = "contradiction"
        figure = f"{'KF1' if context.utility == 'kf1' else 'utility'} {mark:.2f}, threshold {context.passing:.2f}"
        why = f"{figure}: {reason}" if reason else figure
    return {
        "question": QUESTION,
        "label": label,
        "reason": why,
        **cites(piece["id"] for piece in state["evidence"]),
        "backend": "kf1" if context.utility == "kf1" else backend(context, "utility").name,
    }


def _is_compared(state: AugmenterState, context: Context) -> bool:
    """Whether somebody compared what the response says with the evidence. Words that both have are no comparison."""
    judged = context.utility == "model" and backend(context, "utility").bears_out
    return judged and bool(state["evidence"])


def _best_so_far(scores: list[Score], feedback: list[str], state: AugmenterState) -> dict[str, Any]:
    """The best candidate as the text, and as one edit of the whole where it is not the first."""
    text = scores[best(scores)]["text"]
    if text == state["original"]:
        return {"text": text, "edits": []}
    edit: Edit = {
        "before": state["original"],
        "after": text,
        "start": 0,
        "end": len(state["original"]),
        **cites(piece["id"] for piece in state["evidence"]),
        "reason": feedback[0] if feedback else "it scores higher",
        "applied": True,
    }
    return {"text": text, "edits": [edit]}
