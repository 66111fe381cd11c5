"""The steps of Verify-and-Edit."""

from .begin import begin
from .conclude import conclude
from .rationale import (
    affordable,
    answer_again,
    apply,
    corrected,
    replace_answer,
    sample,
    split,
)
from .sentence import ask, look_up, tell

__all__ = [
    "affordable", "answer_again", "apply", "ask", "begin", "conclude", "corrected", "look_up", "replace_answer",
    "sample", "split", "tell",
]  # fmt: skip
