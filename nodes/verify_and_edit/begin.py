"""The start of verifying a chain of thought."""

from typing import Any

from langgraph.types import Overwrite

from ...state import Context
from ...state.errors import ConfigurationError
from ...state.methods.verification import VerifyState
from ..begin import begun


async def begin(state: VerifyState, context: Context) -> dict[str, Any]:
    """Start verifying a chain of thought.

    Raises:
        ConfigurationError: As `begun` does, or if a search in paragraphs has none.
    """
    new = begun(state, context)
    texts = state.get("samples") or []
    samples = [sample for sample in texts if sample.strip()]
    paragraphs = [paragraph for paragraph in state.get("paragraphs") or [] if paragraph.strip()]
    if context.search == "dataset" and not paragraphs:
        raise ConfigurationError("the `dataset` search needs paragraphs with the question: give some in `paragraphs`")
    text = "" if samples else new["text"]
    return {
        **new,
        "text": text,
        "original": text,
        "samples": samples,
        "paragraphs": paragraphs,
        "paths": [],
        "asked": len(texts) if samples else 0,
        "consistency": None,
        "mode": "probability" if context.consistency == "probability" else "count",
        "answer": "",
        "original_answer": "",
        "sentences": [],
        "checked": Overwrite([]),
        "found": Overwrite([]),
    }
