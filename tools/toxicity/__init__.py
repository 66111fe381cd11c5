"""How toxic a text is, by one of several scorers with one interface.

Modules are imported on first access, so that a run loads only its own scorer.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from .selection import SCORERS, toxicity_tool

if TYPE_CHECKING:
    from .detoxify import DetoxifyToxicity
    from .moderation import ModerationToxicity
    from .perspective import PerspectiveToxicity
    from .profanity import ProfanityToxicity, Span, offending
    from .scorer import Toxicity, ToxicityTool, feedback

__all__ = [
    "SCORERS", "DetoxifyToxicity", "ModerationToxicity", "PerspectiveToxicity", "ProfanityToxicity", "Span",
    "Toxicity", "ToxicityTool", "feedback", "offending", "toxicity_tool",
]  # fmt: skip

_HOMES = {
    "DetoxifyToxicity": ".detoxify",
    "ModerationToxicity": ".moderation",
    "PerspectiveToxicity": ".perspective",
    "ProfanityToxicity": ".profanity",
    "Span": ".profanity",
    "Toxicity": ".scorer",
    "ToxicityTool": ".scorer",
    "feedback": ".scorer",
    "offending": ".profanity",
}


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(import_module(_HOMES[name], __name__), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
