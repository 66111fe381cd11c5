"""Grounding: put right in a passage what evidence contradicts, in one go, and verify what was put right."""

import re
from typing import Annotated, Any, Literal, NotRequired

from pydantic import BaseModel, BeforeValidator, Field, model_validator
from typing_extensions import TypedDict

from .correction import Revision, says_something
from .task import Stance, Task


class Source(TypedDict):
    """A piece of evidence as it is shown."""

    title: str
    text: str


class ReviseInput(TypedDict):
    """A passage, and the evidence that it is compared with."""

    evidence: list[Source]
    text: str
    question: NotRequired[str]
    """The question that the text answers."""
    before: NotRequired[str]
    """The text before the passage."""
    refused: NotRequired[str]
    """Changes that were proposed before, and why they were refused."""


class GroundInput(TypedDict):
    """A passage, sentence by sentence, and the evidence that it is compared with."""

    evidence: list[Source]
    sentences: list[str]
    limit: str
    """The most characters that one change may replace."""
    precedence: NotRequired[str]
    """Which evidence counts where pieces disagree; empty if the sentence then stays as it is."""
    question: NotRequired[str]
    before: NotRequired[str]


class AmendInput(GroundInput):
    """A passage after its first revision, of which some changes were refused."""

    accepted: list[str]
    """The changes that were made."""
    refused: list[str]
    """The changes that were not, each with the reason."""


class ReplacementInput(TypedDict):
    """Replacements of sentences, and the passages that they are to follow from."""

    passages: list[Source]
    replacements: list[list[str]]
    """Each a sentence, or several, and the wording that takes their place. Both directions of a change are listed."""
    precedence: NotRequired[str]
    question: NotRequired[str]
    around: NotRequired[str]
    """Sentences of the text beside these: they tell what is spoken of."""


def _number(value: Any) -> Any:
    """The number in `evidence 1`, `[1]`, `S1` or a list of numbers; 0 if there is none."""
    if isinstance(value, list):
        value = value[0] if value else 0
    if value is None:
        return 0
    found = re.search(r"\d+", value) if isinstance(value, str) else None
    return int(found.group()) if found else 0 if isinstance(value, str) else value


Number = Annotated[int, BeforeValidator(_number, json_schema_input_type=int)]
"""The number of a listed item, however a model writes it."""

_LABELS = ("supported", "contradicted", "disputed", "not stated")


def _label(value: Any) -> Any:
    bare = str(value).strip(" \n\t.*_`\"'").replace("_", " ").lower()
    return bare if bare in _LABELS else "not stated"


SentenceLabel = Annotated[
    Literal["supported", "contradicted", "disputed", "not stated"],
    BeforeValidator(_label, json_schema_input_type=Literal["supported", "contradicted", "disputed", "not stated"]),
]


class GroundedChange(BaseModel):
    """A change, with what it rests on. The order of the fields is the chain of thought."""

    why: str = Field(default="", description="What the passage says, and what the evidence says instead.")
    quote: str = Field(default="", description="The words of the evidence that show it, copied letter for letter.")
    evidence: Number = Field(default=0, description="Number of the evidence that is quoted.")
    before: str = Field(description="The wrong words, copied from the passage.")
    after: str = Field(description="What is to stand in their place.")


class GroundedSentence(BaseModel):
    """What the evidence says of one sentence."""

    number: Number
    label: SentenceLabel
    evidence: Number = Field(default=0, description="Number of the evidence; 0 if none says anything of it.")
    quote: str = Field(default="", description="The words of the evidence, copied letter for letter.")


class Grounding(BaseModel):
    """All that is wrong in a passage, and what its sentences rest on."""

    sentences: list[GroundedSentence] = []
    changes: list[GroundedChange] = []

    @model_validator(mode="before")
    @classmethod
    def _says_something(cls, value: Any) -> Any:
        """An object with neither is another one. With either, what is left out is not said."""
        if isinstance(value, dict) and not {"sentences", "changes"} & value.keys():
            raise ValueError("give `sentences` and `changes`")
        return value


class Support(BaseModel):
    """Whether passages support one replacement. The order of the fields is the chain of thought."""

    number: Number = Field(description="Number of the replacement.")
    reason: str = Field(default="", description="What the passages say, or don't say, about the words that differ.")
    evidence: Number = Field(default=0, description="Number of the passage; 0 if none says anything of it.")
    label: Stance


class Verification(BaseModel):
    """Which replacements the passages support."""

    verdicts: list[Support]

    def of(self, replacements: int) -> list[Support | None]:
        """The verdicts on so many replacements, in their order; None for one that has none, or two that differ."""
        found: list[list[Support]] = [[] for _ in range(replacements)]
        for verdict in self.verdicts:
            if 0 < verdict.number <= replacements:
                found[verdict.number - 1].append(verdict)
        return [each[0] if len({one.label for one in each}) == 1 else None for each in found]


def _judges_any(task_input: ReplacementInput, output: Verification) -> str | None:
    count = len(task_input["replacements"])
    return None if any(output.of(count)) else f"judge each of the {count} replacements"


REVISE = Task("revise", ReviseInput, Revision, says_something, suits_small=True)
GROUND = Task("ground", GroundInput, Grounding)
AMEND = Task("amend", AmendInput, Grounding)
VERIFY = Task("verify", ReplacementInput, Verification, _judges_any)
