"""What flows: the records of a run, and the Context that sets it."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .context import Context, operator_fields
    from .parts import EMBEDDED
    from .records import (
        Attribution,
        Cites,
        Edit,
        Evidence,
        Failure,
        Label,
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
    from .spans import Segment, marked, replay, segments

__all__ = [
    "EMBEDDED",
    "Attribution",
    "Cites",
    "Context",
    "Edit",
    "Evidence",
    "Failure",
    "Label",
    "Result",
    "Segment",
    "SentenceStatus",
    "Status",
    "Stopped",
    "Unresolved",
    "Usage",
    "Verdict",
    "cited",
    "cites",
    "marked",
    "operator_fields",
    "replay",
    "segments",
]

_CONTEXT = ("EMBEDDED", "Context", "operator_fields")
_SPANS = ("Segment", "marked", "replay", "segments")


def __getattr__(name: str) -> Any:
    """Imported when it is asked for: whoever needs no more than `state.errors` should not wait for pydantic."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    home = "context" if name in _CONTEXT else "spans" if name in _SPANS else "records"
    return getattr(import_module(f".{home}", __name__), name)
