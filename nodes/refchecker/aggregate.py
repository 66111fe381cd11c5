"""Aggregation: from verdicts per passage to one per claim, and to a summary of the response."""

from typing import Any

from ...models import backend
from ...models.tasks.claims import CHECK
from ...state import Context, Label, Verdict
from ...state.methods.labels import major, merge, soft, strict
from ...state.methods.refcheck import RefCheckState, Statement
from ..step import emit


async def aggregate(state: RefCheckState, context: Context) -> dict[str, Any]:
    """Merge the passages' labels for each claim, and only then sum up."""
    verdict_of = {statement["id"]: _merged(statement, state, context) for statement in state["statements"]}
    labels = [verdict["label"] for verdict in verdict_of.values()]
    passages = state["quorum"].get("passages", {"asked": 0, "had": 0})
    is_whole = state["text"] and passages["had"] == passages["asked"]
    # A passage that could not be split may contain claims, and wrong ones.
    counted: list[Label] = labels if is_whole else [*labels, "error"]
    common, tied = major(labels) if is_whole else ("error", False)
    summed = {"distribution": soft(counted), "strict": strict(counted), "major": common, "tied": tied}
    emit("aggregate", **summed)
    errors = sum(verdict["label"] == "error" for verdict in verdict_of.values())
    return {"verdict_of": verdict_of, "errors": errors, **summed}


def _merged(statement: Statement, state: RefCheckState, context: Context) -> Verdict:
    """The verdict of the first passage with the merged label. For `neutral`, no passage decides."""
    order = {piece["id"]: place for place, piece in enumerate(state["evidence"])}
    verdicts = [checked["verdict"] for checked in state["checked"] if checked["claim"] == statement["id"]]
    verdicts.sort(key=lambda verdict: order.get(verdict["evidence"], -1))
    label = merge(verdict["label"] for verdict in verdicts)
    agreeing = [verdict for verdict in verdicts if verdict["label"] == label]
    deciding = next(iter(agreeing), None)
    reason = next((verdict["reason"] for verdict in agreeing if verdict["reason"]), "")
    if not verdicts:
        reason = "the search found nothing"
    against = sum(verdict["label"] == "contradiction" for verdict in verdicts)
    if label == "entailment" and against:
        reason = f"{reason} ({against} of {len(verdicts)} passages contradict it)".strip()
    return {
        "question": statement["content"],
        "label": label,
        "reason": reason,
        "evidence": deciding["evidence"] if deciding and label != "neutral" else "",
        "backend": deciding["backend"] if deciding else backend(context, CHECK).name,
    }
