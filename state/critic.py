"""The state that CRITIC's loops share (arXiv 2305.11738): draft, verify with tools, decide, correct, verify again."""

from typing_extensions import TypedDict

from .records import Result
from .running import RunState


class CriticInput(TypedDict, total=False):
    """What to solve or to clean.

    On a thread that was used before, what is left out keeps its last value: pass an empty text to have
    a draft written.
    """

    question: str
    """The problem, for a program; the prompt to continue, for a text."""
    text: str
    """A draft of the caller's own: a program, or a text to clean. Without it, one is drafted."""
    gold: str
    """The right answer. Given, it decides instead of the critique when to correct (CRITIC*; for evaluation only)."""


class CriticState(RunState):
    """What flows between the steps."""

    gold: str
    candidate: str
    """What is being verified. It becomes `text` if it is better."""
    answer: str
    """What `text` comes to: the program's answer, or empty for prose."""
    score: float
    """How toxic `text` is, from 0 to 1; for programs 1."""
    observation: str
    """What the tool said of the candidate, in the words that the model is shown."""
    critique: str
    """What is wrong with the candidate."""
    rounds: int
    """Corrections so far."""
    unchanged: int
    """How many corrections in a row left the answer as it was."""


class CriticResult(Result):
    """A result, with what its text comes to."""

    answer: str
    """The answer of the final program; empty for prose."""
