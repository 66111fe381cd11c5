"""States as a step finds them: nothing is in them but what a test says."""

from typing import Any

from errata.state import Edit, Label, Verdict
from errata.state.runs.meter import NOTHING


def state(**fields: Any) -> Any:
    """The state of a run, of any method."""
    known: dict[str, Any] = {
        "question": "", "text": "", "original": fields.get("text", ""), "edits": [], "verdicts": [], "evidence": [],
        "attribution": [], "failures": [], "quorum": {}, "unresolved": [], "status": "not checked", "spent": False,
        "stopped": None, "reason": "", "usage": NOTHING, "worked": [],
    }  # fmt: skip
    return known | fields


def loop(**fields: Any) -> Any:
    """The state of a loop of CRITIC."""
    begun = {"answer": "", "critique": "", "accepted": False, "rounds": 0, "unchanged": 0, "answers": [], "gold": [],
             "messages": [], "earlier": 0, "correction": "none", "proposed": "", "refused": ""}  # fmt: skip
    return state(**{**begun, **fields})


def used(**amounts: float) -> Any:
    """What a run has used so far."""
    return NOTHING | amounts


def verdict(label: Label, evidence: str = "", reason: str = "", question: str = "?") -> Verdict:
    return {"question": question, "label": label, "reason": reason, "evidence": evidence, "backend": "fake"}


def edit(
    before: str, after: str, start: int = 0, *, evidence: str = "", applied: bool = True, reason: str = ""
) -> Edit:
    end = start + len(before)
    return {
        "before": before, "after": after, "start": start, "end": end, "evidence": evidence, "reason": reason,
        "applied": applied,
    }  # fmt: skip


def failure(reason: str, step: str = "research", unchecked: bool = True) -> dict[str, Any]:
    return {"step": step, "reason": reason, "unchecked": unchecked}
