"""RARR's steps, and the fused edit that PURR makes instead of asking gates."""

from .attribute import attribute
from .bearing import earned
from .begin import begin
from .edit import apply, edit
from .fuse import fuse
from .gate import gate, open_check, unasked
from .pool import pool
from .questions import questions, sentences

__all__ = [
    "apply",
    "attribute",
    "begin",
    "earned",
    "edit",
    "fuse",
    "gate",
    "open_check",
    "pool",
    "questions",
    "sentences",
    "unasked",
]
