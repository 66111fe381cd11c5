"""CRITIC's steps: critiques with tools, and corrections based on them."""

from .answers import correct, critique, is_right, keep
from .begin import begin_answer, begin_program, begin_toxicity, to_verify
from .conclude import conclude
from .program import correct_program, correction_task, critique_program, execute, review_program
from .toxicity import review_rewrite, rewrite, rewriting, score

__all__ = [
    "begin_answer", "begin_program", "begin_toxicity", "conclude", "correct", "correct_program", "correction_task",
    "critique", "critique_program", "execute", "is_right", "keep", "review_program", "review_rewrite", "rewrite",
    "rewriting", "score", "to_verify",
]  # fmt: skip
