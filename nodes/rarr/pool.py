"""The pool: the pairs of question and evidence (RARR section 3.2)."""

from typing import Any

from ...state import Context
from ...state.methods.correction import Check, CorrectionState, Found
from ..cite import gathered


async def pool(state: CorrectionState, context: Context) -> dict[str, Any]:
    """List what all questions found as checks, in question order."""
    checks: list[Check] = []
    in_order = sorted(state["found"], key=lambda found: found["question"]["number"])
    for found in in_order:
        checks += [_check(found, piece["id"]) for piece in found["evidence"]] or [_no_evidence(found)]
    return {"checks": checks, "evidence": gathered(*(found["evidence"] for found in in_order))}


def _check(found: Found, evidence_id: str) -> Check:
    return {
        "question": found["question"]["text"],
        "passage": found["question"]["passage"],
        "evidence": evidence_id,
        "verdict": None,
        "settled": False,
        "replacement": None,
    }


def _no_evidence(found: Found) -> Check:
    """Settle a question without evidence: `neutral` if nothing was found, `error` if the search failed."""
    check = _check(found, "")
    reason = found["failed"] or "the search found nothing"
    check["verdict"] = {
        "question": check["question"],
        "label": "error" if found["failed"] else "neutral",
        "reason": reason,
        "evidence": "",
        "backend": "",
    }
    check["settled"] = True
    return check
