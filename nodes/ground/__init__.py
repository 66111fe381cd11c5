"""The steps of `ground`."""

from .apply import apply
from .conclude import conclude
from .gather import begin, gather, questions
from .revise import due, revise
from .verify import verify

__all__ = ["apply", "begin", "conclude", "due", "gather", "questions", "revise", "verify"]
