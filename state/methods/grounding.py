"""The state of `ground`: passages, the evidence that each is shown with, and the proposed changes."""

from typing import Annotated, NotRequired

from typing_extensions import TypedDict

from ..records import Result, SentenceStatus
from .correction import CorrectionInput, Found, Question
from .refcheck import Reference
from .running import RunState, append


class Change(TypedDict):
    """One change in a revision of a passage."""

    start: int
    """The character offset of `before` in the passage."""
    before: str
    after: str
    evidence: str
    """The id of the evidence that it follows from; empty if it follows from none."""
    quote: str
    """The sentence of the evidence that it follows from."""
    refused: str
    """Why the text must not carry it; empty if it may."""


class Judged(TypedDict):
    """A model's label for one sentence, with its evidence."""

    sentence: int
    """Its place in the passage, from 0."""
    status: SentenceStatus
    evidence: str
    quote: str


class Part(TypedDict):
    """A passage on its way through the graph."""

    text: str
    """The passage at the start; changes are applied to the whole text at the end."""
    shown: list[str]
    """The ids of the evidence that it is compared with; without any, nothing is changed."""
    revised: str | None
    """The passage as revised by a model; None until it was asked."""
    named: list[Change]
    """The changes as named by a model, if it was asked to name them."""
    changes: list[Change]
    labels: list[Judged]
    tries: int
    failed: str
    """Why there is no revision."""


class GroundInput(CorrectionInput, total=False):
    """What to ground, and in what."""

    references: list[str | Reference]
    """Texts to compare with: strings, objects with a `text`, LangChain documents. Without any, evidence is searched
    for.
    """


class GroundState(RunState):
    """The data that flows between the steps."""

    references: list[str | Reference]
    passages: list[str]
    questions: list[Question]
    found: Annotated[list[Found], append]
    parts: list[Part]
    cited: str


class GroundResult(Result):
    """A result, with the cited text."""

    cited: NotRequired[str]
    """The text with a number in brackets after each sentence that evidence supports, and the list of the sources."""
