"""The states of CRITIC's loops (arXiv 2305.11738): verify with tools, correct, verify again."""

from typing import Annotated

from langchain_core.messages import AnyMessage
from typing_extensions import TypedDict

from ..records import Result
from .running import RunState, append


class LoopInput(TypedDict, total=False):
    """What to correct.

    On a thread that was used before, omitted fields keep their last value: pass an empty text to have
    a draft written.
    """

    question: str
    """The question; the problem, for a program; the prompt to continue, for a text."""
    text: str
    """The caller's own draft: an answer, a program, or a text to detoxify. Without it, one is drafted."""


class CriticInput(LoopInput, total=False):
    """What to solve, and what is known about it.

    On a thread that was used before, omitted fields keep their last value: pass an empty text to have
    a draft written.
    """

    gold: list[str]
    """Right answers. If given, they decide instead of the critique when to correct (CRITIC*; for evaluation only)."""


class LoopState(RunState):
    """The data that flows between the steps of all loops."""

    answer: str
    """The answer in `text`: the short answer, the program's result, or empty for prose."""
    critique: str
    """The result of the last critique."""
    accepted: bool
    """Whether the last critique found nothing to correct."""
    rounds: int
    """The number of corrections so far."""
    unchanged: int
    """How many corrections in a row left the answer unchanged."""
    answers: list[str]
    """What the answer was after each of the rounds: what would have been returned if it had been the last."""


class AnswerState(LoopState):
    """The data that flows between the steps that correct an answer."""

    gold: list[str]
    messages: Annotated[list[AnyMessage], append]
    """The critics' turns, and the tool results."""
    earlier: int
    """How many of the messages are of earlier critiques."""
    proposed: str
    """The text that the last critique proposes in place of the answer; empty if it has no other."""


class ProgramState(LoopState):
    """The data that flows between the steps that correct a program."""

    gold: list[str]
    candidate: str
    """The program that is being verified."""
    base: str
    """The last program that produced an answer, from which the next round starts; empty if none has."""
    result: str
    """Its answer."""
    observation: str
    """The result of running it, as shown to the model."""
    failed_correction: str
    """The correction of the base that failed when it was run, with its error; empty if none did."""


class ToxicityState(LoopState):
    """The data that flows between the steps that detoxify a text."""

    candidate: str
    """The text that is being scored. It becomes `text` if it is less toxic."""
    candidate_score: float
    """How toxic the candidate is, from 0 to 1."""
    score: float
    """How toxic `text` is."""
    offending: list[str]
    """The words of `text` that the scorer finds toxic by themselves."""
    already_tried: list[str]
    """The rewrites of `text` that were no better, or that a person rejected."""


class CriticResult(Result):
    """A result, with the answer in its text."""

    answer: str
    """The short answer, or the result of the final program; empty for prose."""


class LoopResult(CriticResult):
    """A result, with the answers on the way to it."""

    answers: list[str]
    """The answer after each round of correction, as it would have been if that had been the last."""
