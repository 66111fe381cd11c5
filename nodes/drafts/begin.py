"""The start of a draft."""

from typing import Any

from langgraph.types import Overwrite

from ...state import Context
from ...state.errors import ConfigurationError
from ...state.methods.drafts import DraftState
from ..begin import begun, given, right_answers


async def begin(state: DraftState, context: Context) -> dict[str, Any]:
    """Start a draft.

    Raises:
        ConfigurationError: If there is no question, or there is a text, and as `begun` and `right_answers` do.
    """
    if given(state, "text").strip():
        raise ConfigurationError("this method answers a question and corrects no text: leave out the text")
    if not given(state, "question").strip():
        raise ConfigurationError("there is nothing to answer: give a question")
    nothing_yet = {"answer": "", "ran": Overwrite([]), "messages": Overwrite([])}
    return {**begun(state, context), "gold": right_answers(state), **nothing_yet}
