"""Applying the accepted changes, from left to right."""

from typing import Any

from ...state import Context, Edit
from ...state.methods.grounding import Change, GroundState
from ..review import reviewed
from ..step import emit

ANNOTATED = "the text was annotated, not corrected"


async def apply(state: GroundState, context: Context) -> dict[str, Any]:
    """Make the changes in the text, after review if the Context asks for it."""
    pieces = {piece["id"]: piece for piece in state["evidence"]}
    text, edits, offset, moved = state["text"], list(state["edits"]), 0, 0
    ahead = sum(not change["refused"] for part in state["parts"] for change in part["changes"])
    for part in state["parts"]:
        for change in sorted(part["changes"], key=lambda each: each["start"]):
            record = _record(change, offset + change["start"] + moved, context)
            if record["applied"] and context.review:
                ahead -= 1
                piece = pieces.get(record["evidence"])
                record = reviewed(record, "", piece, state["original"], edits, ahead)
            if record["applied"]:
                text = text[: record["start"]] + record["after"] + text[record["end"] :]
                moved += len(record["after"]) - len(record["before"])
            edits.append(record)
            emit("edit", edit=record)
        offset += len(part["text"])
    return {"text": text, "edits": edits}


def _record(change: Change, start: int, context: Context) -> Edit:
    refused = change["refused"] or (ANNOTATED if context.mode == "annotate" else "")
    why = f"Text: {change['before']}\nEvidence: {change['quote']}" if change["quote"] else ""
    return {
        "before": change["before"],
        "after": change["after"],
        "start": start,
        "end": start + len(change["before"]),
        "evidence": change["evidence"],
        "reason": f"Refused: {refused}\n{why}".strip() if refused else why,
        "applied": not refused,
    }
