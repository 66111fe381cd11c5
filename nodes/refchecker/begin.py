"""The start of checking a response."""

from typing import Any

from langgraph.types import Overwrite

from ...models import backend
from ...models.tasks.claims import CHECK
from ...state import Context
from ...state.errors import ConfigurationError
from ...state.methods.refcheck import RefCheckState
from ...state.text.segments import checked
from ..begin import begun, given, references_of
from .checking import checkers

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
        ConfigurationError: As `begun` does, if references are given and all are empty, if a claim is neither a sentence
            nor a triplet, or if a checker cannot work.
    """
    for each in checkers(context):
        backend(each, CHECK).check(each, CHECK.name)
    claims = _own_claims(state.get("own_claims") or [])
    start: Any = state
    if claims and not given(state, "text").strip():
        start = {**state, "text": "\n".join(each if isinstance(each, str) else " ".join(each) for each in claims)}
    return {**begun(start, context), **_NOTHING_YET, "references": references_of(state), "own_claims": claims}


def _own_claims(claims: Any) -> list[str | list[str]]:
    """The caller's claims, if they are sentences or triplets. Raises ConfigurationError if they are not."""
    if not isinstance(claims, list | tuple):
        raise ConfigurationError(f"own_claims must be a list of claims, not {type(claims).__name__}")
    for claim in claims:
        parts = [claim] if isinstance(claim, str) else claim
        if not isinstance(parts, list | tuple) or len(parts) not in (1, 3) or not str(parts[0]).strip():
            raise ConfigurationError(
                f"a claim is a sentence, or a list of subject, predicate and object, not {claim!r:.80}"
            )
    return [
        checked(claim, "a claim") if isinstance(claim, str) else [checked(part, "a part of a claim") for part in claim]
        for claim in claims
    ]
