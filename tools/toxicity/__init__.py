"""How toxic a text is, by one of several scorers with one interface.

The module of a scorer is imported when it is asked for by name; the one that needs nothing is here.
"""

from .profanity import ProfanityToxicity, Span, offending
from .scorer import Toxicity, ToxicityTool, feedback
from .selection import SCORERS, toxicity_tool

__all__ = [
    "SCORERS", "ProfanityToxicity", "Span", "Toxicity", "ToxicityTool", "feedback", "offending", "toxicity_tool",
]  # fmt: skip
