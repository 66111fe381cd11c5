"""Questions: one request for each passage."""

from typing import Any, cast

from ...state import Context
from ...state.correction import CorrectionState
from ...state.grounding import GroundState
from ..rarr import questions as rounds


async def questions(state: GroundState, context: Context) -> dict[str, Any]:
    """Ask one round of RARR's questions of every passage."""
    return await rounds(cast(CorrectionState, state), context.model_copy(update={"question_rounds": 1}))
