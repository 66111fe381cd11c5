"""The rules backend: tasks done by rules, in plain Python, offline.

They know one thing: a sentence beside a sentence of the evidence that is the same but for one place.
"""

from .backend import agreement, check, edit, edit_all, extract, extract_subsentences, queries, revise
from .corruption import corrupt, summarise
from .ranking import rank
from .replacement import verify

__all__ = [
    "agreement", "check", "corrupt", "edit", "edit_all", "extract", "extract_subsentences", "queries", "rank", "revise",
    "summarise", "verify",
]  # fmt: skip
