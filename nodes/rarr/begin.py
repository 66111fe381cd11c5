"""The start of correcting a text."""

from typing import Any

from langgraph.types import Overwrite

from ...state import Context
from ...state.methods.correction import CorrectionState
from ..begin import begun


async def begin(state: CorrectionState, context: Context) -> dict[str, Any]:
    """Start correcting a text. Raises ConfigurationError as `begun` does."""
    new = {"passages": [], "questions": [], "lost": [], "found": Overwrite([]), "checks": [], "proposals": []}
    return {**begun(state, context), **new}
