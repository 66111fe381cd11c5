"""Questions: one request for each passage."""

from typing import Any

from ...state import Context
from ...state.methods.grounding import GroundState
from ..rarr.questions import asked_of


async def questions(state: GroundState, context: Context) -> dict[str, Any]:
    """Ask one round of RARR's questions for every passage."""
    return await asked_of(state, context, 1)
