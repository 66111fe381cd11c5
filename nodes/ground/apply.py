"""Applying the accepted changes, from left to right."""

from typing import Any

from ...state import Context, Edit
from ...state.methods.grounding import Change, GroundState, ProposedEdit
from ..review import reviewed
from ..step import emit
from .proposals import is_placed

ANNOTATED = "the text was annotated, not corrected"


async def apply(state: GroundState, context: Context) -> dict[str, Any]:
    """Make the changes in the text, after review if the Context asks for it.

    A person is also shown those that were refused, with the reason, and can accept them.
    """
    pieces = {piece["id"]: piece for piece in state["evidence"]}
    text, edits, offset, moved = state["text"], list(state["edits"]), 0, 0
    shows = context.review and context.mode == "correct"
    ahead = sum(is_placed(change) for part in state["parts"] for change in part["changes"])
    for part in state["parts"]:
        for change in part["changes"]:
            placed = is_placed(change)
            record: Edit = _record(change, offset + change["start"] + moved if placed else 0, context)
            if shows and placed:
                ahead -= 1
                offered: Edit = {
                    **record,
                    "applied": True,
                    "reason": record["reason"].replace("Refused", "Doubtful", 1),
                }
                record = reviewed(offered, "", pieces.get(record["evidence"]), state["original"], edits, ahead)
            if record["applied"]:
                text = text[: record["start"]] + record["after"] + text[record["end"] :]
                moved += len(record["after"]) - len(record["before"])
            edits.append(record)
            emit("edit", edit=record)
        offset += len(part["text"])
    return {"text": text, "edits": edits}


def _record(change: Change, start: int, context: Context) -> ProposedEdit:
    refused = change["refused"] or (ANNOTATED if context.mode == "annotate" else "")
    quote = f"Evidence: {change['quote']}" if change["quote"] else ""
    told = (f"Refused: {refused}" if refused else "", change["why"], quote)
    return {
        "before": change["before"],
        "after": change["after"],
        "start": start,
        "end": start + len(change["before"]),
        "evidence": change["evidence"],
        "reason": "\n".join(filter(None, told)),
        "applied": not refused,
        "why": change["why"],
        "quote": change["quote"],
    }
