"""What a run comes to: verdicts, why it stopped, and what it cost. Of a run that was broken off, too."""

from collections.abc import Mapping
from typing import Any, cast

from ..state import Context, Failure, Result, Stopped, Verdict
from ..state.correction import CorrectionState
from ..state.meter import NOTHING, add_usage, seconds
from ..state.text import counted


def conclude(state: CorrectionState, context: Context) -> dict[str, Any]:
    """The fields of the result that follow from the others."""
    verdicts = _verdicts(state)
    undecided = _undecided(verdicts, state["failures"])
    stopped, reason = _why(state, verdicts, [*state["failures"], *undecided])
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
    verdicts = state.get("verdicts") or _verdicts(partial)
    return {
        "original": state.get("original") or text,
        "text": text,
        "edits": state.get("edits") or [],
        "verdicts": verdicts,
        "evidence": state.get("evidence") or [],
        "attribution": state.get("attribution") or [],
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


def _why(state: CorrectionState, verdicts: list[Verdict], failures: list[Failure]) -> tuple[Stopped, str]:
    """Why the run stopped, and the sentence that says so."""
    unchecked = [failure for failure in failures if failure["unchecked"]]
    applied = sum(edit["applied"] for edit in state["edits"])
    if unchecked:
        more = f" ({len(unchecked) - 1} more)" if len(unchecked) > 1 else ""
        return "error", f"some of the text is unchecked: {unchecked[0]['step']} failed{more}: {unchecked[0]['reason']}"
    if state["stopped"] == "budget":
        return "budget", f"the budget of model calls is spent; {_tally(state, verdicts)}"
    if not state["questions"]:
        return "unchanged", "the text makes no claim to ask about"
    agreed = any(verdict["label"] == "entailment" for verdict in verdicts)
    refused = applied < len(state["edits"])
    return "accepted" if applied or (agreed and not refused) else "unchanged", _tally(state, verdicts)


def _tally(state: CorrectionState, verdicts: list[Verdict]) -> str:
    """How the checks went, in words."""
    applied = sum(edit["applied"] for edit in state["edits"])
    labels = [verdict["label"] for verdict in verdicts]
    counts = {
        "agree with the text": labels.count("entailment"),
        "led to an edit": applied,
        "led to an edit that was refused": len(state["edits"]) - applied,
        "decide nothing": labels.count("neutral"),
    }
    said = ", ".join(f"{number} {what}" for what, number in counts.items() if number)
    return f"of {counted(len(state['checks']), 'check')}, {said or 'none was made'}"
