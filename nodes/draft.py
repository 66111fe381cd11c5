"""Draft: take the caller's text, or let the model answer the question."""

from typing import Any

from langgraph.types import Overwrite

from ..models import task
from ..state import Context, Failure
from ..state.correction import CorrectionState
from ..state.errors import ConfigurationError, ErrataError
from ..state.text import passages
from .step import emit


async def draft(state: CorrectionState, context: Context) -> dict[str, Any]:
    """Begin a run with a text to correct.

    Raises ConfigurationError if there is neither a text nor a question.
    """
    text, question = state.get("text") or "", (state.get("question") or "").strip()
    failures: list[Failure] = []
    if not text.strip():
        if not question:
            raise ConfigurationError("there is nothing to check: give a text, or a question to draft an answer to")
        try:
            text = (await task(context, "draft").ainvoke({"question": question})).text
            emit("draft", text=text)
        except ConfigurationError:
            raise
        except ErrataError as error:
            text = ""
            failures.append({"step": "draft", "reason": str(error), "unchecked": True})
    return {
        "text": text,
        "question": question,
        "original": text,
        "passages": passages(text, context.passage_chars),
        "failures": Overwrite(failures),
        **_NOTHING_YET,
    }


_NOTHING_YET: dict[str, Any] = {
    "questions": [],
    "found": Overwrite([]),
    "evidence": [],
    "checks": [],
    "proposals": [],
    "edits": [],
    "verdicts": [],
    "attribution": [],
    "stopped": None,
    "reason": "",
}
"""Whatever a thread of a checkpointer still holds of its last run, a new run starts without."""
