"""Begin: whatever a thread of a checkpointer still holds of its last run, a new run starts without."""

from collections.abc import Mapping
from typing import Any

from langgraph.types import Overwrite

from ..models import check_names
from ..state import Context
from ..state.correction import CorrectionState
from ..state.critic import CriticState
from ..state.errors import ConfigurationError
from ..state.text import checked


async def begin_correction(state: CorrectionState, context: Context) -> dict[str, Any]:
    """Begin to correct a text.

    Raises ConfigurationError if there is neither a text nor a question, if either is no string, or for a make of a task
    that there is not.
    """
    return {
        **begun(state, context),
        "passages": [],
        "questions": [],
        "found": Overwrite([]),
        "checks": [],
        "proposals": [],
    }


async def begin_critic(state: CriticState, context: Context) -> dict[str, Any]:
    """Begin a loop of critiques.

    Raises ConfigurationError if there is neither a text nor a question.
    """
    new = begun(state, context)
    gold = state.get("gold") or []
    if not isinstance(gold, list):
        raise ConfigurationError(f"gold has to be a list of right answers, not {type(gold).__name__}")
    return {
        **new,
        "gold": [checked(answer, "a right answer") for answer in gold],
        "candidate": new["text"],
        "answer": "",
        "score": 1.0,
        "observation": "",
        "critique": "",
        "rounds": 0,
        "unchanged": 0,
        "messages": Overwrite([]),
    }


async def begin_draft(state: CriticState, context: Context) -> dict[str, Any]:
    """Begin a draft.

    Raises ConfigurationError if there is no question, or a text already.
    """
    if checked(_given(state, "text"), "text").strip():
        raise ConfigurationError("a draft answers a question and corrects no text: leave the text out")
    if not checked(_given(state, "question"), "question").strip():
        raise ConfigurationError("there is nothing to answer: give a question")
    return await begin_critic(state, context)


def begun(state: Mapping[str, Any], context: Context) -> dict[str, Any]:
    """The fields that all methods share, as a run begins. Raises as `begin_correction` does."""
    check_names(context)
    text = checked(_given(state, "text"), "text")
    question = checked(_given(state, "question"), "question").strip()
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
        "stopped": None,
        "reason": "",
    }


def _given(state: Mapping[str, Any], name: str) -> Any:
    """What the caller gave; None is as good as nothing."""
    found = state.get(name)
    return "" if found is None else found
