"""What a run comes to: verdicts, why it stopped, and what it cost. Of a run that was broken off, too."""

from collections.abc import Mapping
from typing import Any, cast

from ..state import Context, Failure, Result, Stopped, Verdict
from ..state.correction import CorrectionState
from ..state.meter import NOTHING, add_usage, seconds
from ..state.outcomes import check_status, status_of, tally


def conclude(state: CorrectionState, context: Context) -> dict[str, Any]:
    """The fields of the result that follow from the others."""
    verdicts = _verdicts(state)
    undecided = _undecided(verdicts, state["failures"])
    stopped, reason = _why(state, [*state["failures"], *undecided])
    return {
        "verdicts": verdicts,
        "failures": undecided,
        "stopped": stopped,
        "reason": reason,
        "usage": sums(state, context),
    }


def so_far(state: dict[str, Any], context: Context, reason: str) -> Result:
    """The result of a run that was broken off, from the last state that was seen of it.

    state
        As streamed in mode `values`; fields that the run had not come to are empty.
    """
    partial = cast(CorrectionState, {"usage": NOTHING, "worked": [], "checks": [], **state})
    text = state.get("text") or ""
    original = state.get("original") or text
    attribution, unresolved = state.get("attribution") or [], state.get("unresolved") or []
    verdicts = state.get("verdicts") or _verdicts(partial)
    return {
        "original": original,
        "text": text,
        "edits": state.get("edits") or [],
        "verdicts": verdicts,
        "evidence": state.get("evidence") or [],
        "attribution": attribution,
        "unresolved": unresolved,
        "status": status_of(original, text, attribution, unresolved),
        "failures": [*(state.get("failures") or []), *_undecided(verdicts, state.get("failures") or [])],
        "stopped": "error",
        "reason": reason,
        "usage": add_usage(partial["usage"], sums(partial, context)),
    }


def _verdicts(state: CorrectionState) -> list[Verdict]:
    return [check["verdict"] for check in state["checks"] if check["verdict"]]


def _undecided(verdicts: list[Verdict], told: list[Failure]) -> list[Failure]:
    """Gates that could not be asked. Only those that still stand count: one asked ahead may have been asked again.

    told
        Failures that are known already, as that of a fused edit, which decides many checks at once.
    """
    known = {failure["reason"] for failure in told if failure["step"] == "fuse"}
    return [
        {"step": "gate", "reason": verdict["reason"], "unchecked": True}
        for verdict in verdicts
        if verdict["label"] == "error" and verdict["evidence"] and verdict["reason"] not in known
    ]


def sums(state: Mapping[str, Any], context: Context) -> dict[str, float]:
    """What is added to the usage at the end: the time worked, and the cost where prices are known."""
    sums = {"seconds": seconds(state["worked"])}
    if context.input_price is not None and context.output_price is not None:
        used = state["usage"]
        cost = used["input_tokens"] * context.input_price + used["output_tokens"] * context.output_price
        sums["cost"] = round(cost / 1_000_000, 6)
    return sums


def _why(state: CorrectionState, failures: list[Failure]) -> tuple[Stopped, str]:
    """Why the run stopped, and the sentence that says so."""
    unchecked = [failure for failure in failures if failure["unchecked"]]
    if unchecked:
        more = f" ({len(unchecked) - 1} more)" if len(unchecked) > 1 else ""
        return "error", f"some of the text is unchecked: {unchecked[0]['step']} failed{more}: {unchecked[0]['reason']}"
    told = tally(map(check_status, state["checks"]), "check")
    if state["stopped"] == "budget":
        return "budget", f"the budget of model calls is spent; {told}"
    if not state["questions"]:
        return "finished", "the text makes no claim to ask about"
    return "finished", told
