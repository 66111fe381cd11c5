"""The prompt engine (LLM-Augmenter): ask for a response, and send the best one."""

import asyncio
from collections.abc import Callable
from typing import Any

from ...models import task
from ...models.networks.learned import Episode, Step, append
from ...models.tasks.dialogue import RESPOND, RespondInput
from ...state import Context, Failure, Stopped
from ...state.errors import RunError
from ...state.methods.augmenter import AugmenterState
from ..budget import why_spent
from ..conclude import first_unchecked, outcome_of, sums
from ..step import StepFunction, emit, failed
from .memory import best, response


async def prompt(state: AugmenterState, context: Context) -> dict[str, Any]:
    """Ask the model for a response, with the dialogue, the evidence, and the feedback on its last one.

    The caller's own first response replaces the model's.
    """
    tried = {"tried": [*state["tried"], "prompt"], "critique": ""}
    if state["text"] and not state["candidates"]:
        return {**tried, "candidates": [state["text"]]}
    last = state["candidates"][-1] if state["critique"] else ""
    try:
        task_input: RespondInput = {**response(state, last), "feedback": state["critique"]}
        text = (await task(context, RESPOND).ainvoke(task_input)).text
    except RunError as error:
        return {**tried, **failed("prompt", error)}
    emit("prompt", text=text)
    first = {} if state["candidates"] else {"original": text, "text": text}
    return {**tried, **first, "candidates": [*state["candidates"], text]}


def send(passes: Callable[[float, Context], bool]) -> StepFunction:
    """Make the step that sends the best response.

    Args:
        passes: The graph's rule for a score that is good enough.
    """

    async def send(state: AugmenterState, context: Context) -> dict[str, Any]:
        """Send the best response, and say whether it passed."""
        mark = state["scores"][best(state["scores"])]["overall"] if state["scores"] else None
        tries = f"{len(state['candidates'])} response{'' if len(state['candidates']) == 1 else 's'}"
        stopped: Stopped
        if first := first_unchecked(state["failures"]):
            outcome = "the response is unchecked: " if mark is None else f"the best of {tries} is sent: "
            outcome = outcome if state["candidates"] else "there is no response: "
            stopped, reason = "error", f"{outcome}{first}"
        elif mark is not None and passes(mark, context):
            stopped, reason = "accepted", f"it scores {mark:.2f}, at least {context.passing:.2f}, after {tries}"
        elif state["spent"]:
            stopped, spent_reason = why_spent(state, context)
            reason = f"{spent_reason} after {tries}; this is the best so far"
        elif mark is None:
            why = "the search found nothing for it" if "consolidate" in state["tried"] else "no evidence was looked up"
            stopped, reason = "finished", f"the response is unchecked: {why}"
        else:
            of_all = f"the best of {tries}" if len(state["candidates"]) > 1 else "the only response"
            stopped = "rounds"
            reason = f"{of_all} is sent, though it scores {mark:.2f}, less than {context.passing:.2f}"
        verdict = state["verdicts"][best(state["scores"])] if state["scores"] else None
        logged = await _log(state, context, mark)
        wrong = verdict is not None and verdict["label"] == "contradiction"
        return {
            **outcome_of(state, verdict, wrong=wrong, left=reason),
            "stopped": stopped,
            "reason": reason,
            "usage": sums(state, context),
            **logged,
        }

    return send


async def _log(state: AugmenterState, context: Context, mark: float | None) -> dict[str, Any]:
    """Add the run to the log, if there is one. The response doesn't depend on it."""
    if not context.log:
        return {}
    steps: list[Step] = [
        {**decision, "action": action, "chance": 1 / len(decision["open"]) if context.policy == "random" else 1.0}
        for decision, action in zip(state["decisions"], [*state["tried"], "send"], strict=False)
    ]
    episode: Episode = {"steps": steps, "utility": mark, "llm_calls": state["usage"]["llm_calls"]}
    try:
        await asyncio.to_thread(append, context.log, episode)
    except OSError as error:
        failure: Failure = {
            "step": "log",
            "reason": f"{context.log}: {error.strerror or error}",
            "unchecked": False,
        }
        return {"failures": [failure]}
    return {}
