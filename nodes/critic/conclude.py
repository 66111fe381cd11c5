"""The end of a critique loop: why it ended, and the outcome for the text."""

from collections.abc import Callable
from typing import Any

from ...state import Context, Stopped, Verdict
from ...state.methods.critic import LoopState
from ...state.text.segments import counted
from ..budget import why_spent
from ..conclude import outcome_of, sums
from ..step import StepFunction

WRONG = {"Is the program right?": "the program is still wrong", "Is the text clean?": "the text is still toxic"}
"""What a negative answer to the question of a critique means."""


UNSURE = "what the critic says is not sure enough to replace a program that ran"
UNCONFIRMED = "no program that was written for the question alone comes to the result of the correction"


def conclude(
    accepts: Callable[[Any], bool], rounds: int, can_correct: Callable[[Any], bool] = lambda state: False
) -> StepFunction:
    """Make the step that ends a loop.

    Args:
        accepts: The graph's own rule for a text that needs no correction.
        rounds: The most corrections, unless the Context says otherwise.
        can_correct: Whether the budget had room for another correction, so that something else ended the loop.
    """

    async def conclude(state: LoopState, context: Context) -> dict[str, Any]:
        """Say why the loop ended, and what the outcome for the text is."""
        stopped = _stopped(state, context, accepts(state), context.rounds_or(rounds), can_correct(state))
        wrong, verdict = _still_wrong(state, stopped == "accepted"), _judgement(state)
        after = f"after {counted(state['rounds'], 'round')} of correction"
        unsure = UNCONFIRMED if state.get("others") and state["text"] == state["original"] else UNSURE
        why = {
            "accepted": f"it passes {after}" if state["rounds"] else "it passes unchanged",
            "stable": f"further corrections do not change it {after}" if _is_stable(state, context) else unsure,
            "rounds": f"no further correction was allowed {after}" if state["rounds"] else "no correction was allowed",
            "budget": f"{why_spent(state, context)[1]} {after}; this is the best so far",
            "error": _failed(state),
        }.get(stopped, "")
        if stopped == "budget":
            stopped = why_spent(state, context)[0]
        fault = ""
        if wrong and verdict:
            fault = f"; {WRONG.get(verdict['question'], 'the answer is still wrong')}: {verdict['reason']}"
        elif state["rounds"] >= len(state["verdicts"]) and stopped == "rounds":
            fault = "; the last correction was not critiqued"
        elif state.get("refused"):
            fault = "; what the critic proposed instead was not taken: nothing found says it"
        return {
            **outcome_of(state, verdict, wrong=wrong, left=why, prose=not _is_program(state)),
            "stopped": stopped,
            "reason": why + fault,
            "usage": sums(state, context),
        }

    return conclude


def _failed(state: LoopState) -> str:
    """What failed first, and why; without a text, only why there is none."""
    if not state["failures"]:
        return ""
    failure = state["failures"][0]
    return f"{failure['step']} failed: {failure['reason']}" if state["text"] else failure["reason"]


def _stopped(state: LoopState, context: Context, accepted: bool, rounds: int, can_correct: bool) -> Stopped:
    if state["failures"]:
        return "error"
    if accepted:
        return "accepted"
    if state["spent"] or not state["text"]:
        return "budget"
    if _is_stable(state, context):
        return "stable"
    if state["rounds"] >= rounds:
        return "rounds"
    return "stable" if can_correct else "budget"


def _is_stable(state: LoopState, context: Context) -> bool:
    return bool(state.get("exhausted")) or state["unchanged"] >= context.patience


def _is_program(state: LoopState) -> bool:
    """Whether the text is a program, which has no sentences."""
    return any(piece["source"].startswith("python:") and piece["query"] == state["text"] for piece in state["evidence"])


def _judgement(state: LoopState) -> Verdict | None:
    """The verdict on the text: the last one, or the one on the tool result for this text."""
    ids = {piece["id"] for piece in state["evidence"] if piece["query"] == state["text"]}
    last_first = list(reversed(state["verdicts"]))
    return next((verdict for verdict in last_first if verdict["evidence"] in ids), next(iter(last_first), None))


def _still_wrong(state: LoopState, accepted: bool) -> bool:
    """Whether the text was found wrong and no correction has changed it since.

    A correction that was never tried has not.
    """
    last = state["verdicts"][-1] if state["verdicts"] else None
    if not last or last["label"] != "contradiction" or accepted:
        return False
    untried = state.get("candidate", state["text"]) != state["text"]
    return len(state["verdicts"]) > state["rounds"] or bool(state["unchanged"]) or untried
