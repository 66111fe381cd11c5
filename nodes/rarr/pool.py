"""The pool: the pairs of question and evidence (RARR section 3.2)."""

from typing import Any

from ...state import Context
from ...state.methods.correction import Check, CorrectionState, Found
from ..cite import gathered
from ..research import in_order


async def pool(state: CorrectionState, context: Context) -> dict[str, Any]:
    """List what all questions found as checks, in question order."""
    checks: list[Check] = []
    results = in_order(state["found"])
    for result in results:
        checks += [_check(result, piece["id"]) for piece in result["evidence"]] or [_no_evidence(result)]
    return {"checks": checks, "evidence": gathered(*(result["evidence"] for result in results))}


def _check(result: Found, evidence_id: str) -> Check:
    return {
        "question": result["question"]["text"],
        "passage": result["question"]["passage"],
        "evidence": evidence_id,
        "verdict": None,
        "settled": False,
        "replacement": None,
    }


def _no_evidence(result: Found) -> Check:
    """Settle a question without evidence: `neutral` if nothing was found, `error` if the search failed."""
    check = _check(result, "")
    reason = result["failed"] or "the search found nothing"
    check["verdict"] = {
        "question": check["question"],
        "label": "error" if result["failed"] else "neutral",
        "reason": reason,
        "evidence": "",
        "backend": "",
    }
    check["settled"] = True
    return check
