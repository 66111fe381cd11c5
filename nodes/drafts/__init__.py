"""How answers are drafted: the baselines, and the first step of other methods."""

from .answers import continuation, cot, direct, few_shot
from .begin import begin
from .conclude import conclude
from .program import run_program, write_program
from .react import react
from .samples import best_of, vote

__all__ = [
    "begin", "best_of", "conclude", "continuation", "cot", "direct", "few_shot", "react", "run_program", "vote",
    "write_program",
]  # fmt: skip
