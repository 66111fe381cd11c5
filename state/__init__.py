"""What flows: the records of a run, and the Context that sets it."""

from .context import EMBEDDED, Context, operator_fields
from .records import Attribution, Edit, Evidence, Failure, Label, Result, Stopped, Usage, Verdict
from .spans import Segment, marked, replay, segments

__all__ = [
    "EMBEDDED",
    "Attribution",
    "Context",
    "Edit",
    "Evidence",
    "Failure",
    "Label",
    "Result",
    "Segment",
    "Stopped",
    "Usage",
    "Verdict",
    "marked",
    "operator_fields",
    "replay",
    "segments",
]
