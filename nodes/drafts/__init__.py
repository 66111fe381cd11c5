"""How answers are drafted: the baselines, and the first step of other methods."""

from .answers import continuation, cot, direct, few_shot
from .begin import begin
from .conclude import conclude
from .program import choose_program, run_program, run_sampled, sample_programs, write_program
from .react import react
from .samples import best_of, vote

__all__ = [
    "begin", "best_of", "choose_program", "conclude", "continuation", "cot", "direct", "few_shot", "react",
    "run_program", "run_sampled", "sample_programs", "vote", "write_program",
]  # fmt: skip
