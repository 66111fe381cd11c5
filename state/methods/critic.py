"""The states of CRITIC's loops (arXiv 2305.11738): verify with tools, correct, verify again."""

from typing import Annotated

from langchain_core.messages import AnyMessage
from typing_extensions import TypedDict

from ..records import Result
from .running import RunState, append


class LoopInput(TypedDict, total=False):
    """What to correct.

    On a thread that was used before, what is left out keeps its last value: pass an empty text to have
    a draft written.
    """

    question: str
    """The question; the problem, for a program; the prompt to continue, for a text."""
    text: str
    """A draft of the caller's own: an answer, a program, or a text to clean. Without it, one is drafted."""


class CriticInput(LoopInput, total=False):
    """What to solve, and what is known of it.

    On a thread that was used before, what is left out keeps its last value: pass an empty text to have
    a draft written.
    """

    gold: list[str]
    """Right answers. Given, they decide instead of the critique when to correct (CRITIC*; for evaluation only)."""


class LoopState(RunState):
    """What flows between the steps of all loops."""

    answer: str
    """What `text` comes to: the short answer, the program's result, or empty for prose."""
    critique: str
    """What the last critique said."""
    accepted: bool
    """Whether the last critique found nothing to correct."""
    rounds: int
    """Corrections so far."""
    unchanged: int
    """How many corrections in a row left the answer as it was."""


class AnswerState(LoopState):
    """What flows between the steps that correct an answer."""

    gold: list[str]
    messages: Annotated[list[AnyMessage], append]
    """The critique that is going on: the critic's turns, and what the tools said."""


class ProgramState(LoopState):
    """What flows between the steps that correct a program."""

    gold: list[str]
    candidate: str
    """The program that is being verified. It becomes `text` if it comes to an answer."""
    observation: str
    """What came of running it, in the words that the model is shown."""
    first_answer: str
    """What the draft came to; empty if it came to no answer."""


class ToxicityState(LoopState):
    """What flows between the steps that clean a text."""

    candidate: str
    """The text that is being scored. It becomes `text` if it is less toxic."""
    candidate_score: float
    """How toxic the candidate is, from 0 to 1."""
    score: float
    """How toxic `text` is."""
    exhausted: bool
    """Whether there is nothing more to try: rules have taken out the words that offend."""


class CriticResult(Result):
    """A result, with what its text comes to."""

    answer: str
    """The short answer, or the result of the final program; empty for prose."""
