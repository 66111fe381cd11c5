"""CRITIC's steps: critiques with tools, and corrections based on them."""

from .answers import correct, critique, is_right, keep
from .begin import begin_answer, begin_program, begin_toxicity, to_verify
from .conclude import conclude
from .program import (
    confirm,
    correct_program,
    correction_task,
    critique_program,
    execute,
    prefers_draft,
    reached_twice,
    review_program,
    withdraw,
)
from .supporting import needs_evidence, quotes_line
from .toxicity import review_rewrite, rewrite, score

__all__ = [
    "begin_answer", "begin_program", "begin_toxicity", "conclude", "confirm", "correct", "correct_program",
    "correction_task", "critique", "critique_program", "execute", "is_right", "keep", "needs_evidence",
    "prefers_draft", "quotes_line", "reached_twice", "review_program", "review_rewrite", "rewrite", "score",
    "to_verify", "withdraw",
]  # fmt: skip
