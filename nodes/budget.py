"""The budget of model calls, `max_calls`."""

from collections.abc import Mapping
from typing import Any

from ..models import backend
from ..state import Context

UNBOUNDED = 1_000_000_000


def calls_left(state: Mapping[str, Any], context: Context, task_name: str) -> int:
    """How many more times a task may be carried out. What calls no language model costs nothing."""
    if context.max_calls is None or not backend(context, task_name).costs_calls:
        return UNBOUNDED
    return max(context.max_calls - int(state["usage"]["llm_calls"]), 0)


def affords(state: Mapping[str, Any], context: Context, *tasks: str) -> bool:
    """Whether the budget has a call for each of these tasks."""
    bills = [name for name in tasks if calls_left(state, context, name) < UNBOUNDED]
    return not bills or calls_left(state, context, bills[0]) >= len(bills)
