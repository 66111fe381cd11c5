"""Grounding: put right in a passage what evidence contradicts, in one go."""

from typing import Annotated, Literal, NotRequired

from pydantic import BaseModel, Field
from typing_extensions import TypedDict

from .correction import Revision, says_something
from .task import AnyCase, Task


class Source(TypedDict):
    """A piece of evidence as it is shown."""

    title: str
    text: str


class ReviseInput(TypedDict):
    """A passage, and the evidence that it is compared with."""

    evidence: list[Source]
    text: str
    question: NotRequired[str]
    """What the text answers."""
    before: NotRequired[str]
    """What stands before the passage."""
    refused: NotRequired[str]
    """Changes that were proposed before, and why they were refused."""


class GroundInput(ReviseInput):
    """A passage whose sentences are numbered."""

    sentences: list[str]


class GroundedChange(BaseModel):
    """A change, with what it rests on. The order of the fields is the chain of thought."""

    why: str = Field(description="What the passage says, and what the evidence says instead.")
    quote: str = Field(description="The words of the evidence that show it, copied letter for letter.")
    evidence: int = Field(description="Number of the evidence that is quoted.")
    before: str = Field(min_length=1, description="The wrong words, copied from the passage.")
    after: str = Field(description="What is to stand in their place.")


class GroundedSentence(BaseModel):
    """What the evidence says of one sentence."""

    number: int
    label: Annotated[Literal["supported", "contradicted", "not stated"], AnyCase] = Field(
        description="supported if the evidence states all of it, contradicted if it states otherwise in any point."
    )
    evidence: int = Field(default=0, description="Number of the evidence; 0 if none says anything of it.")
    quote: str = Field(default="", description="The words of the evidence, copied letter for letter.")


class Grounding(BaseModel):
    """All that is wrong in a passage, and what its sentences rest on."""

    sentences: list[GroundedSentence]
    changes: list[GroundedChange]


def _judges_each(task_input: GroundInput, output: Grounding) -> str | None:
    count = len(task_input["sentences"])
    judged = [each.number for each in output.sentences]
    return None if sorted(judged) == list(range(1, count + 1)) else f"judge each of the {count} sentences once"


REVISE = Task("revise", ReviseInput, Revision, says_something, suits_small=True)
GROUND = Task("ground", GroundInput, Grounding, _judges_each)
