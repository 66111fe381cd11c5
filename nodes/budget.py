"""What a run may still spend: model calls (`max_calls`), dollars (`max_cost`), seconds (`deadline`)."""

from collections.abc import Mapping
from typing import Any

from ..models import Task, backend
from ..state import Context, Stopped
from ..state.runs.deadline import PASSED, has_passed
from ..state.runs.meter import cost, seconds

UNBOUNDED = 1_000_000_000


def calls_left(state: Mapping[str, Any], context: Context, task: Task[Any, Any]) -> int:
    """How many more times a task may run. A backend that calls no language model costs only time."""
    if _is_late(state, context):
        return 0
    if not backend(context, task).costs_calls:
        return UNBOUNDED
    if context.max_cost is not None and (cost(state["usage"], context) or 0) >= context.max_cost:
        return 0
    return UNBOUNDED if context.max_calls is None else max(context.max_calls - int(state["usage"]["llm_calls"]), 0)


def affords(state: Mapping[str, Any], context: Context, *tasks: Task[Any, Any]) -> bool:
    """Whether the budget has a call left for each of these tasks."""
    costly = [task for task in tasks if calls_left(state, context, task) < UNBOUNDED]
    return not costly or calls_left(state, context, costly[0]) >= len(costly)


def why_spent(state: Mapping[str, Any], context: Context) -> tuple[Stopped, str]:
    """Why a run stopped early, as a value of `stopped` and in words."""
    if _is_late(state, context):
        return "deadline", PASSED
    if context.max_cost is not None and (cost(state["usage"], context) or 0) >= context.max_cost:
        return "budget", f"the budget of ${context.max_cost:g} is spent"
    return "budget", "the budget of model calls is spent"


def _is_late(state: Mapping[str, Any], context: Context) -> bool:
    return has_passed() or (context.deadline is not None and seconds(state.get("worked") or []) >= context.deadline)
