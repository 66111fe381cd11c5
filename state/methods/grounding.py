"""The state of `ground`: passages, the evidence that each is shown with, and what was made of it."""

from typing import Annotated, NotRequired

from typing_extensions import TypedDict

from ..records import Result, SentenceStatus
from .correction import CorrectionInput, Found, Question
from .refcheck import Reference
from .running import RunState, append


class Change(TypedDict):
    """One change that a revision makes of a passage."""

    start: int
    """Character offset of `before` in the passage."""
    before: str
    after: str
    evidence: str
    """Id of the evidence that it follows from; empty if it follows from none."""
    quote: str
    """The sentence of the evidence that it follows from."""
    refused: str
    """Why the text must not carry it; empty if it may."""


class Judged(TypedDict):
    """What a model said of one sentence, with what it rests on."""

    sentence: int
    """Its place in the passage, from 0."""
    status: SentenceStatus
    evidence: str
    quote: str


class Part(TypedDict):
    """A passage on its way through the graph."""

    text: str
    """As it came: changes are applied to the whole text at the end."""
    shown: list[str]
    """Ids of the evidence that it is compared with; without any nothing is changed."""
    revised: str | None
    """The passage as a model would have it; None until it was asked."""
    named: list[Change]
    """The changes as a model named them, where it was asked to."""
    changes: list[Change]
    labels: list[Judged]
    tries: int
    failed: str
    """Why no revision could be had."""


class GroundInput(CorrectionInput, total=False):
    """What to ground, and in what."""

    references: list[str | Reference]
    """Texts to compare with: strings, objects with a `text`, LangChain documents. Without any, a search finds some."""


class GroundState(RunState):
    """What flows between the steps."""

    references: list[str | Reference]
    passages: list[str]
    questions: list[Question]
    found: Annotated[list[Found], append]
    parts: list[Part]
    cited: str


class GroundResult(Result):
    """A result, with the text as it reads with its sources."""

    cited: NotRequired[str]
    """The text with a number in brackets behind each sentence that evidence bears out, and the list of the sources."""
