"""The policy: list the actions that the bounds allow, and ask the model if it is the policy."""

from collections.abc import Callable, Mapping
from typing import Any

from ...models import Task, task
from ...models.networks.learned import features
from ...models.tasks.dialogue import POLICY, RESPOND, PolicyInput
from ...state import Context, Failure
from ...state.errors import RunError
from ...state.methods.augmenter import Action, AugmenterState
from ..budget import affords
from ..step import StepFunction, emit
from .memory import best, response


def policy(
    within_bounds: Callable[[AugmenterState, Context], list[Action]], needs: Mapping[Action, tuple[Task[Any, Any], ...]]
) -> StepFunction:
    """Make a step that lists the open actions and, if a model is the policy, has it choose one.

    Args:
        within_bounds: The graph's rule for the actions besides sending that the bounds allow, regardless of cost.
        needs: The tasks that an action requires, for which the budget must have a call.
    """

    async def policy(state: AugmenterState, context: Context) -> dict[str, Any]:
        """List the open actions. The model chooses with `self_ask`; a learned policy and the caller's own always do."""
        allowed = within_bounds(state, context)
        is_given = not state["candidates"] and bool(state["text"])  # the first response is the caller's
        payable = [action for action in allowed if is_given or affords(state, context, *needs[action])]
        actions: list[Action] = [*payable, "send"] if state["candidates"] or not payable else payable
        is_spent = state["spent"] or len(payable) < len(allowed)
        update: dict[str, Any] = {"open": actions, "chosen": None, "spent": is_spent}
        if context.log:
            seen = features(_situation(state, actions))
            update["decisions"] = [*state["decisions"], {"features": seen, "open": actions}]
        if not _asks(state, context, actions):
            return update
        try:
            choice = await task(context, POLICY).ainvoke(_situation(state, actions))
        except RunError as error:  # then the rules choose, and may choose differently
            failure: Failure = {"step": "policy", "reason": str(error), "unchecked": True}
            return {**update, "failures": [failure]}
        emit("policy", action=choice.action, reason=choice.reason)
        return {**update, "chosen": choice.action}

    return policy


def _asks(state: AugmenterState, context: Context, actions: list[Action]) -> bool:
    """Whether a model chooses: there is a choice, and the budget has a call for it."""
    if len(actions) < 2 or not affords(state, context, POLICY, RESPOND):
        return False
    return (
        is_of_caller(context)
        or bool(context.policy_file)
        or (context.policy == "self_ask" and "consolidate" in actions)
    )


def is_of_caller(context: Context) -> bool:
    """Whether the policy is the caller's own Runnable, such as a trained one."""
    return not isinstance(context.backends.get("policy", ""), str)


def _situation(state: AugmenterState, actions: list[Action]) -> PolicyInput:
    place = best(state["scores"]) if state["scores"] else None
    text = state["text"] if place is None else state["candidates"][place]
    score = None if place is None else state["scores"][place]["overall"]
    return {**response(state, text), "score": score, "feedback": state["critique"], "actions": list(actions)}
