"""Begin: whatever a thread of a checkpointer still holds of its last run, a new run starts without."""

from collections.abc import Mapping
from typing import Any

from langgraph.types import Overwrite

from ..models import check_names
from ..state import Context
from ..state.errors import ConfigurationError
from ..state.text import checked


def begun(state: Mapping[str, Any], context: Context) -> dict[str, Any]:
    """The fields that all methods share, as a run begins.

    Raises:
        ConfigurationError: If there is neither a text nor a question, if either is no string, or for an unknown task.
    """
    check_names(context)
    text, question = given(state, "text"), given(state, "question").strip()
    text = text if text.strip() else ""
    if not text and not question:
        raise ConfigurationError("there is nothing to check: give a text, or a question to draft an answer to")
    return {
        "text": text,
        "question": question,
        "original": text,
        "edits": [],
        "verdicts": [],
        "evidence": [],
        "attribution": [],
        "failures": Overwrite([]),
        "unresolved": [],
        "status": "not checked",
        "spent": False,
        "stopped": None,
        "reason": "",
    }


def given(state: Mapping[str, Any], name: str) -> str:
    """What the caller gave as `text` or `question`; None is as good as nothing.

    Raises:
        ConfigurationError: If it is no string.
    """
    found = state.get(name)
    return checked("" if found is None else found, name)


def right_answers(state: Mapping[str, Any]) -> list[str]:
    """The right answers that the caller gave as `gold`.

    Raises:
        ConfigurationError: If they are no list of strings.
    """
    gold = state.get("gold") or []
    if not isinstance(gold, list):
        raise ConfigurationError(f"gold has to be a list of right answers, not {type(gold).__name__}")
    return [checked(answer, "a right answer") for answer in gold]
