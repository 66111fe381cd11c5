"""Replacing the best text so far with another, as one edit of the whole."""

from typing import Any

from ...state import Cites, Context, Edit, cited, cites
from ...state.methods.critic import LoopState
from ..review import reviewed
from ..step import emit


def replaced(state: LoopState, text: str, evidence_id: str) -> dict[str, Any]:
    """Replace the best text so far with a new one, as one edit of the whole."""
    return recorded(state, _replacing(state, text, {"evidence": evidence_id}))


def decided(state: LoopState, text: str, context: Context) -> Edit:
    """The edit that replaces the best text so far, after review if the Context asks for it.

    The step pauses until the reviewer answers, and then runs again from its start. So a step that calls this asks no
    model first.
    """
    verdict = state["verdicts"][-1]
    edit = _replacing(state, text, cites(cited(verdict)))
    if not context.review or edit["after"] == edit["before"]:
        return edit
    piece = next((candidate for candidate in state["evidence"] if candidate["id"] == verdict["evidence"]), None)
    return reviewed(edit, verdict["question"], piece, state["original"], state["edits"])


def recorded(state: LoopState, edit: Edit) -> dict[str, Any]:
    """Record an edit, if there is one, and make it if it is to be applied."""
    if edit["after"] == edit["before"]:
        return {}
    emit("edit", edit=edit)
    edits = [*state["edits"], edit]
    return {"text": edit["after"], "edits": edits} if edit["applied"] else {"edits": edits}


def _replacing(state: LoopState, text: str, rests_on: Cites) -> Edit:
    return {
        "before": state["text"],
        "after": text,
        "start": 0,
        "end": len(state["text"]),
        **rests_on,
        "reason": state["critique"],
        "applied": True,
    }
