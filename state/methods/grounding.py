"""The state of `ground`: passages, the evidence that each is shown with, and the proposed changes."""

from typing import Annotated, Literal, NotRequired

from typing_extensions import TypedDict

from ..records import Edit, Result, SentenceStatus
from .correction import CorrectionInput, Found, Question
from .refcheck import Reference
from .running import RunState, append


class Change(TypedDict):
    """One change of a passage, which is made whole or not at all."""

    start: int
    """The character offset of `before` in the passage."""
    before: str
    after: str
    why: str
    """What is wrong, in the words of whoever proposed it."""
    evidence: str
    """The id of the evidence that it rests on; empty if there is none."""
    quote: str
    """The words of that evidence."""
    refused: str
    """Why it is not made, as a sentence; empty if it is."""
    status: SentenceStatus
    """What its refusal says of its sentence; `nothing found` if nothing."""


class ProposedEdit(Edit):
    """An edit with the reasons of whoever proposed it."""

    why: str
    """What is wrong."""
    quote: str
    """The words of the evidence that it rests on."""


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
    proposed: list[Change]
    """The changes that are to be verified."""
    changes: list[Change]
    """The changes that were verified, accepted or refused."""
    labels: list[Judged]
    tries: int
    again: bool
    """Whether changes that were refused may be proposed once more: a model can act on the reasons of a judge."""
    form: Literal["", "structured", "rewrite", "fallback"]
    """What the model was asked for; `fallback` if it gave no structure and was asked for the whole text instead."""
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
