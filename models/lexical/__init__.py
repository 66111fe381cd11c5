"""The lexical make: the tasks carried out by rules, in plain Python, offline.

An honest baseline: it compares what can be compared word by word (dates, numbers, places, names, opposites), and calls
everything else neutral.
"""

from .agreeing import agreement
from .asking import queries
from .consolidating import chain, entities, search_queries
from .critique import program_critique, rewrite, toxicity_critique
from .editing import edit
from .ranking import rank
from .responding import feedback, respond, utility

__all__ = [
    "agreement",
    "chain",
    "edit",
    "entities",
    "feedback",
    "program_critique",
    "queries",
    "rank",
    "respond",
    "rewrite",
    "search_queries",
    "toxicity_critique",
    "utility",
]
