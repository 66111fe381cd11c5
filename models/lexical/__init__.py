"""The lexical make: the tasks carried out by rules, in plain Python, offline.

An honest baseline: it compares what can be compared word by word (dates, numbers, places, names, opposites), and calls
everything else neutral.
"""

from .agreeing import agreement
from .asking import queries
from .corrupting import corrupt, summarise
from .critique import program_critique, rewrite, toxicity_critique
from .editing import edit, edit_all
from .ranking import rank

__all__ = [
    "agreement",
    "corrupt",
    "edit",
    "edit_all",
    "program_critique",
    "queries",
    "rank",
    "rewrite",
    "summarise",
    "toxicity_critique",
]
