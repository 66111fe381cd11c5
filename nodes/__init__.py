"""The steps: async functions from (state, context) to an update, shared by the graphs."""

from .attribute import attribute
from .conclude import so_far
from .edit import apply, edit
from .fuse import fuse
from .gate import gate, open_check, unasked
from .questions import questions
from .research import pool, research
from .step import settings, step

__all__ = [
    "apply",
    "attribute",
    "edit",
    "fuse",
    "gate",
    "open_check",
    "pool",
    "questions",
    "research",
    "settings",
    "so_far",
    "step",
    "unasked",
]
