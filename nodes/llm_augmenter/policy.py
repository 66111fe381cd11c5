"""Policy: lay out what the bounds leave to do, and ask a model what to do where a model is the policy."""

from typing import Any

from ...models import Choice, task
from ...state import Context, Failure
from ...state.augmenter import ROUNDS, Action, AugmenterState
from ...state.errors import RunError
from ..budget import affords
from ..step import emit
from .memory import best, response

NEEDS: dict[Action, tuple[str, ...]] = {"consolidate": ("search_queries", "chain", "respond"), "prompt": ("respond",)}
"""The tasks that an action leads to: without a response, evidence is worth nothing."""


async def policy(state: AugmenterState, context: Context) -> dict[str, Any]:
    """Lay out the open actions. The model chooses one with `self_ask`; so does a policy of the caller's, every time."""
    wanted = _within_bounds(state, context)
    bills_nothing = not state["candidates"] and bool(state["text"])  # the first response is the caller's
    payable = [action for action in wanted if bills_nothing or affords(state, context, *NEEDS[action])]
    actions: list[Action] = [*payable, "send"] if state["candidates"] or not payable else payable
    update: dict[str, Any] = {"open": actions, "chosen": None}
    if len(payable) < len(wanted):
        update["stopped"] = "budget"
    if not _asks(state, context, actions):
        return update
    try:
        choice: Choice = await task(context, "policy").ainvoke(_situation(state, actions))
    except RunError as error:  # then the rules choose
        failure: Failure = {"step": "policy", "reason": str(error), "unchecked": False}
        return {**update, "failures": [failure]}
    emit("policy", action=choice.action, reason=choice.reason)
    return {**update, "chosen": choice.action}


def _within_bounds(state: AugmenterState, context: Context) -> list[Action]:
    """What may be done beside sending, whatever it costs."""
    if state["stopped"]:
        return []
    within: list[Action] = []
    declined = context.policy == "self_ask" and bool(state["candidates"])
    consolidated = state["tried"].count("consolidate")
    if not state["knowledge"] and not declined and consolidated < context.consolidations:
        within.append("consolidate")
    if len(state["candidates"]) <= context.rounds_or(ROUNDS):
        within.append("prompt")
    return within


def _asks(state: AugmenterState, context: Context, actions: list[Action]) -> bool:
    """Whether a model is to choose: there is a choice, and the budget has a call for it."""
    if len(actions) < 2 or not affords(state, context, "policy", "respond"):
        return False
    return is_of_caller(context) or (context.policy == "self_ask" and "consolidate" in actions)


def is_of_caller(context: Context) -> bool:
    """Whether the policy is a Runnable of the caller's, such as a trained one."""
    return not isinstance(context.backends.get("policy", ""), str)


def _situation(state: AugmenterState, actions: list[Action]) -> dict[str, Any]:
    place = best(state["scores"]) if state["scores"] else None
    text = state["text"] if place is None else state["candidates"][place]
    score = None if place is None else state["scores"][place]["overall"]
    return {**response(state, text), "score": score, "feedback": state["critique"], "actions": actions}
