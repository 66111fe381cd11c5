"""The shared part of the result of a run, including one that was interrupted."""

from collections.abc import Iterable, Mapping
from typing import Any

from ..state import Context, Failure, Result, SentenceStatus, Unresolved, Verdict, cited
from ..state.methods.running import RunState
from ..state.outcomes import OF_LABEL, as_a_whole, status_of, undecided
from ..state.runs.meter import NOTHING, add_usage, cost, seconds


def so_far(state: dict[str, Any], context: Context, reason: str) -> Result:
    """The result of an interrupted run, from the last state that was seen.

    Args:
        state: As streamed in mode `values`; fields that the run had not reached are empty.
        context: The settings of the run.
        reason: Why it was interrupted.
    """
    partial = {"usage": NOTHING, "worked": [], **state}
    text = state.get("text") or ""
    original = state.get("original") or text
    attribution, unresolved = state.get("attribution") or [], state.get("unresolved") or []
    failures = state.get("failures") or []
    gate_verdicts = [check["verdict"] for check in state.get("checks") or [] if check["verdict"]]
    verdicts = state.get("verdicts") or gate_verdicts
    return {
        "original": original,
        "text": text,
        "edits": state.get("edits") or [],
        "verdicts": verdicts,
        "evidence": state.get("evidence") or [],
        "attribution": attribution,
        "unresolved": unresolved,
        "status": status_of(original, text, attribution, unresolved),
        "failures": [*failures, *undecided(verdicts, failures)],
        "quorum": state.get("quorum") or {},
        "stopped": "error",
        "reason": reason,
        "usage": add_usage(partial["usage"], sums(partial, context)),
    }


def sums(state: Mapping[str, Any], context: Context) -> dict[str, float]:
    """The final addition to the usage: the time worked, and the cost if prices are known."""
    sums = {"seconds": seconds(state["worked"])}
    dollars = cost(state["usage"], context)
    return sums if dollars is None else {**sums, "cost": dollars}


def first_unchecked(failures: Iterable[Failure]) -> str:
    """The first failure that left something unchecked, in words; empty if there is none."""
    unchecked = [failure for failure in failures if failure["unchecked"]]
    more = f" ({len(unchecked) - 1} more)" if len(unchecked) > 1 else ""
    return f"{unchecked[0]['step']} failed{more}: {unchecked[0]['reason']}" if unchecked else ""


def why_unchecked(text: str, failures: Iterable[Failure]) -> str:
    """Why some of a text is unchecked, or why there is none; empty if nothing failed.

    Args:
        text: The text; empty if none could be drafted.
        failures: What failed.
    """
    failures = list(failures)
    failed = first_unchecked(failures)
    if failed and not text:
        return next(failure["reason"] for failure in failures if failure["unchecked"])
    return f"some of the text is unchecked: {failed}" if failed else ""


def outcome_of(
    state: RunState, verdict: Verdict | None, *, wrong: bool, left: str, prose: bool = True
) -> dict[str, Any]:
    """Attribution, remaining contradictions and status of a text that was judged as a whole.

    Args:
        state: The state at the end.
        verdict: The verdict on the text.
        wrong: Whether the verdict finds the text wrong and the text is unchanged.
        left: Why the text was not corrected, unless a person rejected the correction.
        prose: Whether the text has sentences.

    Returns:
        The fields of the result.
    """
    original, text, edits = state["original"], state["text"], state["edits"]
    status: SentenceStatus = "unresolved" if wrong else OF_LABEL.get(verdict["label"] if verdict else "", "not checked")
    rests_on = cited(verdict) if verdict and status == "checked" else []
    corrected_by = next((cited(edit) for edit in reversed(edits) if edit["applied"]), [])
    attribution = as_a_whole(original, text, status, rests_on, corrected_by, prose=prose)
    unresolved: list[Unresolved] = []
    if verdict and wrong:
        rejected = edits[-1]["reason"].partition("\n")[0] if edits and not edits[-1]["applied"] else ""
        unresolved.append(
            {
                "sentence": text,
                "start": 0,
                "end": len(text),
                "question": verdict["question"],
                "evidence": verdict["evidence"],
                "reason": verdict["reason"],
                "left": rejected.removeprefix("Refused: ") or left,
            }
        )
    return {
        "attribution": attribution,
        "unresolved": unresolved,
        "status": status_of(original, text, attribution, unresolved),
    }
