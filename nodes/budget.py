"""The budget of model calls, `max_calls`."""

from collections.abc import Mapping
from typing import Any

from ..models import Task, backend
from ..state import Context

UNBOUNDED = 1_000_000_000


def calls_left(state: Mapping[str, Any], context: Context, wanted: Task[Any, Any]) -> int:
    """How many more times a task may be carried out. What calls no language model costs nothing."""
    if context.max_calls is None or not backend(context, wanted).costs_calls:
        return UNBOUNDED
    return max(context.max_calls - int(state["usage"]["llm_calls"]), 0)


def affords(state: Mapping[str, Any], context: Context, *tasks: Task[Any, Any]) -> bool:
    """Whether the budget has a call for each of these tasks."""
    bills = [wanted for wanted in tasks if calls_left(state, context, wanted) < UNBOUNDED]
    return not bills or calls_left(state, context, bills[0]) >= len(bills)
