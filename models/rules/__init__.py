"""The rules backend: tasks done by rules, in plain Python, offline.

It compares what can be compared word by word (dates, numbers, places, names, opposites), and labels everything else
neutral.
"""

from .agreeing import agreement
from .asking import queries
from .checking import check
from .corrupting import corrupt, summarise
from .critic import critique, qa_critique, react
from .critique import program_critique, rewrite, toxicity_critique
from .dialogue import chain, entities, feedback, respond, search_queries, utility
from .editing import edit, edit_all, revise
from .extracting import extract, extract_subsentences
from .ranking import rank
from .verifying import claim_answer, final_answer, verifying_answer, verifying_question

__all__ = [
    "agreement", "chain", "check", "claim_answer", "corrupt", "critique", "edit", "edit_all", "entities", "extract",
    "extract_subsentences", "feedback", "final_answer", "program_critique", "qa_critique", "queries", "rank", "react",
    "respond", "revise", "rewrite", "search_queries", "summarise", "toxicity_critique", "utility", "verifying_answer",
    "verifying_question",
]  # fmt: skip
