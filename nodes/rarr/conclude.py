"""The end of correcting a text: verdicts, failures, and why the run stopped."""

from typing import Any

from ...state import Context, Failure, Stopped
from ...state.methods.correction import CorrectionState
from ...state.outcomes import check_status, tally, undecided
from ..budget import why_spent
from ..conclude import sums, why_unchecked
from ..quorum import judged


def conclude(state: CorrectionState, context: Context) -> dict[str, Any]:
    """The result fields that follow from the others."""
    verdicts = [check["verdict"] for check in state["checks"] if check["verdict"]]
    failures = undecided(verdicts, state["failures"])
    stopped, reason = _stop_reason(state, context, [*state["failures"], *failures])
    return {
        "verdicts": verdicts,
        "failures": failures,
        "stopped": stopped,
        "reason": reason,
        **judged(
            "verdicts", (check["verdict"] or check.get("corrected") for check in state["checks"]), len(state["checks"])
        ),
        "usage": sums(state, context),
    }


def _stop_reason(state: CorrectionState, context: Context, failures: list[Failure]) -> tuple[Stopped, str]:
    """Why the run stopped, as a value of `stopped` and in words."""
    if why := why_unchecked(state["text"], failures):
        return "error", why
    counts = tally(map(check_status, state["checks"]), "check")
    if state["spent"] or not state["text"] or not all(check["settled"] for check in state["checks"]):
        stopped, why = why_spent(state, context)
        return stopped, f"{why}; {counts}"
    if not state["questions"]:
        return "finished", "the text makes no claim to ask about"
    return "finished", counts
