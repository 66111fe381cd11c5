"""The start of checking a response."""

from typing import Any

from langgraph.types import Overwrite

from ...state import Context
from ...state.methods.refcheck import RefCheckState
from ..begin import begun, references_of

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
    """Start checking a response.

    Raises:
        ConfigurationError: As `begun` does, or if references are given and all are empty.
    """
    return {**begun(state, context), **_NOTHING_YET, "references": references_of(state)}
