"""The end of a draft."""

from typing import Any

from ...state import Context, Stopped
from ...state.methods.drafts import DraftState
from ...state.outcomes import as_a_whole
from ..budget import why_spent
from ..conclude import sums


async def conclude(state: DraftState, context: Context) -> dict[str, Any]:
    """Report that the draft was not checked."""
    wrong = [failure["reason"] for failure in state["failures"] if failure["unchecked"]]
    why = wrong[0] if wrong else state["reason"] or "it was not checked"
    stopped: Stopped = "error" if wrong else "finished" if state["text"] else why_spent(state, context)[0]
    return {
        "attribution": as_a_whole(state["text"], state["text"], "not checked"),
        "stopped": stopped,
        "reason": f"a draft: {why}" if state["text"] or not wrong else why,
        "usage": sums(state, context),
    }
