"""The lexical make: the tasks carried out by rules, in plain Python, offline.

An honest baseline: it compares what can be compared word by word (dates, numbers, places, names, opposites), and calls
everything else neutral.
"""

from .agreeing import agreement
from .asking import queries
from .critique import program_critique, rewrite, toxicity_critique
from .editing import edit
from .ranking import rank
from .verifying import claim_answer, final_answer, verifying_answer, verifying_question

__all__ = [
    "agreement",
    "claim_answer",
    "edit",
    "final_answer",
    "program_critique",
    "queries",
    "rank",
    "rewrite",
    "toxicity_critique",
    "verifying_answer",
    "verifying_question",
]
