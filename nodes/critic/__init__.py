"""CRITIC's steps: critiques with tools, and corrections based on them."""

from .answers import correct, critique, is_right
from .begin import begin_answer, begin_program, begin_toxicity, to_verify
from .conclude import conclude
from .program import correct_program, critique_program, execute, review_program, withdraw
from .toxicity import review_rewrite, rewrite, score

__all__ = [
    "begin_answer", "begin_program", "begin_toxicity", "conclude", "correct", "correct_program", "critique",
    "critique_program", "execute", "is_right", "review_program", "review_rewrite", "rewrite", "score", "to_verify",
    "withdraw",
]  # fmt: skip
