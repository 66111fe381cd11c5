"""The budget of model calls, `max_calls`."""

from collections.abc import Mapping
from typing import Any

from ..models import make_name
from ..state import Context

FREE = ("lexical", "seq2seq")
"""Makes that call no language model."""
UNBOUNDED = 1_000_000_000


def calls_left(state: Mapping[str, Any], context: Context, task_name: str) -> int:
    """How many more times a task may be carried out. Makes that are no language models cost nothing."""
    if context.max_calls is None or make_name(context, task_name) in FREE:
        return UNBOUNDED
    return max(context.max_calls - int(state["usage"]["llm_calls"]), 0)
