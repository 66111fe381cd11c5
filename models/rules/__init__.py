"""The rules backend: tasks done by rules, in plain Python, offline.

It compares what can be compared word by word (dates, numbers, places, names, opposites), and labels everything else
neutral.
"""

from .agreeing import agreement
from .asking import queries
from .checking import check
from .corrupting import corrupt, summarise
from .critic import critique, critique_reasoning, qa_critique, qa_reasoning, react
from .critique import program_critique, rewrite, toxicity_critique
from .dialogue import chain, entities, feedback, recall, respond, search_queries, utility
from .editing import edit, edit_all, revise
from .extracting import extract, extract_subsentences
from .ranking import rank
from .verifying import claim_answer, final_answer, verifying_answer, verifying_question

__all__ = [
    "agreement", "chain", "check", "claim_answer", "corrupt", "critique", "critique_reasoning", "edit", "edit_all",
    "entities", "extract", "extract_subsentences", "feedback", "final_answer", "program_critique", "qa_critique",
    "qa_reasoning", "queries", "rank", "react", "recall", "respond", "revise", "rewrite", "search_queries", "summarise",
    "toxicity_critique", "utility", "verifying_answer", "verifying_question",
]  # fmt: skip
