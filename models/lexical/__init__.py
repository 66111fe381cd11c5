"""The lexical make: the tasks carried out by rules, in plain Python, offline.

An honest baseline: it compares what can be compared word by word (dates, numbers, places, names, opposites), and calls
everything else neutral.
"""

from .agreeing import agreement
from .asking import queries
from .checking import check
from .critique import program_critique, rewrite, toxicity_critique
from .editing import edit
from .extracting import extract, extract_subsentences
from .ranking import rank
from .turns import critique, qa_critique, react
from .verifying import claim_answer, final_answer, verifying_answer, verifying_question

__all__ = [
    "agreement",
    "check",
    "claim_answer",
    "critique",
    "edit",
    "extract",
    "extract_subsentences",
    "final_answer",
    "program_critique",
    "qa_critique",
    "queries",
    "rank",
    "react",
    "rewrite",
    "toxicity_critique",
    "verifying_answer",
    "verifying_question",
]
