"""The steps of `ground`."""

from .apply import apply
from .begin import begin
from .conclude import conclude
from .gather import gather
from .questions import questions
from .revise import due, revise
from .verify import checked, made, verify

__all__ = ["apply", "begin", "checked", "conclude", "due", "gather", "made", "questions", "revise", "verify"]
