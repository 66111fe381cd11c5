"""The start of grounding a text."""

from typing import Any

from langgraph.types import Overwrite

from ...state import Context
from ...state.methods.grounding import GroundState
from ..begin import begun, references_of


async def begin(state: GroundState, context: Context) -> dict[str, Any]:
    """Start grounding a text.

    Raises:
        ConfigurationError: As `begun` does, or if references are given and all are empty.
    """
    new = {"passages": [], "questions": [], "found": Overwrite([]), "parts": [], "cited": ""}
    return {**begun(state, context), **new, "references": references_of(state)}
