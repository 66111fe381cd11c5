"""The state that CRITIC's loops share (arXiv 2305.11738): draft, verify with tools, decide, correct, verify again."""

from typing import Annotated

from langchain_core.messages import AnyMessage
from typing_extensions import TypedDict

from .kept import Kept
from .meter import Interval
from .records import Evidence, Failure, Result, Stopped, Usage
from .running import RunState, append


class CriticInput(TypedDict, total=False):
    """What to solve or to clean.

    On a thread that was used before, what is left out keeps its last value: pass an empty text to have
    a draft written.
    """

    question: str
    """The question; the problem, for a program; the prompt to continue, for a text."""
    text: str
    """A draft of the caller's own: an answer, a program, or a text to clean. Without it, one is drafted."""
    gold: list[str]
    """Right answers. Given, they decide instead of the critique when to correct (CRITIC*; for evaluation only)."""


class CriticState(RunState):
    """What flows between the steps."""

    gold: list[str]
    candidate: str
    """What is being verified. It becomes `text` if it is better."""
    answer: str
    """What `text` comes to: the short answer, the program's result, or empty for prose."""
    score: float
    """How toxic `text` is, from 0 to 1; for programs 1."""
    observation: str
    """What the tool said of the candidate, in the words that the model is shown."""
    critique: str
    """What was said of it in the last critique."""
    rounds: int
    """Corrections so far."""
    unchanged: int
    """How many corrections in a row left the answer as it was."""
    messages: Annotated[list[AnyMessage], append]
    """The critique, or the `react` draft, that is going on: the model's turns, and what the tools said."""


class CriticResult(Result):
    """A result, with what its text comes to."""

    answer: str
    """The short answer, or the result of the final program; empty for prose."""


class ToDraft(CriticInput):
    """What a method gives to the draft that is its first step."""

    settings: Kept


class Drafted(TypedDict):
    """What a draft leaves to the method whose first step it is."""

    text: str
    original: str
    candidate: str
    answer: str
    evidence: list[Evidence]
    observation: str
    failures: list[Failure]
    stopped: Stopped | None
    usage: Usage
    worked: list[Interval]
