"""The states of CRITIC's loops (arXiv 2305.11738): verify with tools, correct, verify again."""

from typing import Annotated, Literal

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
    correction: Literal["none", "unsupported", "restated", "supported"]
    """What the last critique proposes in place of the answer, and whether evidence of this run speaks for it."""
    proposed: str
    """The text that it proposes."""
    refused: str
    """What it proposed, if it was not taken because no evidence speaks for it."""


class ProgramState(LoopState):
    """The data that flows between the steps that correct a program."""

    gold: list[str]
    candidate: str
    """The program that is being verified. It becomes `text` if it produces an answer."""
    observation: str
    """The result of running it, as shown to the model."""
    first_answer: str
    """The draft's answer; empty if it produced none."""
    failed_correction: str
    """The correction of the candidate that failed when it was run, with its error; empty if none did."""
    others: list[str]
    """The results of programs that were written for the question alone; empty for one that came to none."""


class ToxicityState(LoopState):
    """The data that flows between the steps that detoxify a text."""

    candidate: str
    """The text that is being scored. It becomes `text` if it is less toxic."""
    candidate_score: float
    """How toxic the candidate is, from 0 to 1."""
    score: float
    """How toxic `text` is."""
    already_tried: list[str]
    """The rewrites of `text` that were no better, or that a person rejected."""
    exhausted: bool
    """Whether there is nothing more to try: rules have removed the offensive words."""


class CriticResult(Result):
    """A result, with the answer in its text."""

    answer: str
    """The short answer, or the result of the final program; empty for prose."""


class LoopResult(CriticResult):
    """A result, with the answers on the way to it."""

    answers: list[str]
    """The answer after each round of correction, as it would have been if that had been the last."""
