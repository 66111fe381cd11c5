"""The rules backend: tasks done by rules, in plain Python, offline.

It compares what can be compared word by word (dates, numbers, places, names, opposites), and labels everything else
neutral.
"""

from .agreeing import agreement
from .asking import queries
from .checking import check
from .corrupting import corrupt, summarise
from .editing import edit, edit_all, revise
from .extracting import extract, extract_subsentences
from .ranking import rank
from .replacing import verify

__all__ = [
    "agreement", "check", "corrupt", "edit", "edit_all", "extract", "extract_subsentences", "queries", "rank", "revise",
    "summarise", "verify",
]  # fmt: skip
