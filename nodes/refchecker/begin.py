"""Begin to check a response."""

from typing import Any

from langgraph.types import Overwrite

from ...state import Context
from ...state.errors import ConfigurationError
from ...state.refcheck import RefCheckState
from ...state.text import checked
from ..begin import begun

_NOTHING_YET: dict[str, Any] = {
    "sentences": [],
    "statements": [],
    "found": Overwrite([]),
    "jobs": [],
    "checked": Overwrite([]),
    "verdict_of": {},
    "claims": [],
    "distribution": None,
    "strict": "error",
    "major": "error",
    "tied": False,
    "errors": 0,
}


async def begin(state: RefCheckState, context: Context) -> dict[str, Any]:
    """Begin to check a response.

    Raises:
        ConfigurationError: As `begun` does, or if references are given and all are empty.
    """
    given = state.get("references") or []
    if not isinstance(given, list | tuple):
        raise ConfigurationError(f"references has to be a list of texts, not {type(given).__name__}")
    references = [reference for reference in given if _text_of(reference).strip()]
    if given and not references:
        raise ConfigurationError("the references are empty: give texts to check against, or none to search for them")
    return {**begun(state, context), **_NOTHING_YET, "references": references}


def _text_of(reference: Any) -> str:
    text = reference.get("text") if isinstance(reference, dict) else reference
    if not isinstance(text, str):
        raise ConfigurationError(f"a reference is a text, or an object with a `text`, not {reference!r:.80}")
    return checked(text, "a reference")
