"""The records of a run, and the Context that configures it."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .context import Context, operator_fields
    from .parts import EMBEDDED, embedded_name
    from .records import (
        Attribution,
        Cites,
        Edit,
        Evidence,
        Failure,
        Label,
        Quorum,
        Result,
        SentenceStatus,
        Status,
        Stopped,
        Unresolved,
        Usage,
        Verdict,
        cited,
        cites,
    )
    from .text.spans import Segment, marked, replay, segments

__all__ = [
    "EMBEDDED", "Attribution", "Cites", "Context", "Edit", "Evidence", "Failure", "Label", "Quorum", "Result",
    "Segment", "SentenceStatus", "Status", "Stopped", "Unresolved", "Usage", "Verdict", "cited", "cites",
    "embedded_name", "marked", "operator_fields", "replay", "segments",
]  # fmt: skip

_HOMES = {
    "EMBEDDED": "parts", "embedded_name": "parts", "Context": "context", "operator_fields": "context",
    "Segment": "text.spans", "marked": "text.spans", "replay": "text.spans", "segments": "text.spans",
}  # fmt: skip
"""The modules of the names that are not records."""


def __getattr__(name: str) -> Any:
    """Import a name on first access, so that `state.errors` can be imported without pydantic."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f".{_HOMES.get(name, 'records')}", __name__), name)
