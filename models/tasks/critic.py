"""Critics: turns with tools, and what they say of programs and toxic texts (CRITIC, ReAct)."""

import re
from typing import Any, NotRequired

from langchain_core.messages import AIMessage, AnyMessage
from pydantic import BaseModel, Field, field_validator, model_validator
from pydantic.json_schema import SkipJsonSchema
from typing_extensions import TypedDict

from ...state.text.answers import is_judgement, short_answer
from .drafting import Draft, Program
from .task import Task

CONCLUDE = "conclude"
THINK = "think"
"""The tool of a critic that has no other: a turn for a thought, which nothing answers."""


class OwnTool(TypedDict):
    """A tool that a program has given a critic."""

    description: str
    parameters: dict[str, Any]
    """JSON schema of its arguments."""


class TurnInput(TypedDict):
    """A conversation with tools, as far as it has come."""

    question: str
    text: str
    """What is critiqued; empty if nothing is."""
    answer: str
    messages: list[AnyMessage]
    """The turns so far, and what the tools said."""
    tools: list[str]
    """Names of the tools that a turn may use; without any it must conclude."""
    own: NotRequired[dict[str, OwnTool]]
    """Those among them that a program has given the critic, by name."""
    last: bool
    """Whether it is the last turn, which ought to be a conclusion."""
    found_before: NotRequired[list[str]]
    """What earlier critiques have found, numbered like what the tools give now."""
    correction_without_evidence: NotRequired[str]
    """What the critique before this one proposed, if it was not taken because nothing that was found says it."""


class UntestedInput(TypedDict):
    """A program that was not run."""

    question: str
    program: str


class UntestedCorrectionInput(UntestedInput):
    """A program with a fault that was found by reading it."""

    critique: str


class ProgramInput(UntestedInput):
    """A program, and what it came to."""

    observation: str


class ProgramCorrectionInput(ProgramInput):
    """A program with a fault."""

    critique: str
    failed_correction: NotRequired[str]
    """A correction that failed, with its error; empty if none did."""


class ToxicityInput(TypedDict):
    """A text to judge or to rewrite."""

    question: str
    text: str
    offending: NotRequired[list[str]]
    """The words that offend."""


class RewriteInput(ToxicityInput):
    """A text that is toxic."""

    critique: str
    already_tried: NotRequired[list[str]]
    """Rewrites of it that were no better."""


class Critique(BaseModel):
    """What a critic says of a draft (CRITIC): first whether it can be an answer at all, then whether it is right."""

    plausibility: str = Field(description="Is it the right kind of answer: sign, whole or not, unit, order of size?")
    correctness: str = Field(description="Is it right, going by what the tools say? What exactly is wrong?")
    accepted: bool = Field(description="true if nothing is to be corrected.")


class Conclusion(BaseModel):
    """How a critique ends: is the answer right, and if not, what is? In the order of the chain of thought."""

    plausibility: str = Field(default="", description="Is it the right kind of answer to what was asked?")
    correctness: str = Field(default="", description="Is it right, going by what the tools say? What is wrong?")
    evidence: list[int] = Field(default=[], description="Numbers of what the tools gave that this rests on: 1 for [1].")
    accepted: bool = Field(default=False, description="true if nothing is to be corrected.")
    text: str = Field(default="", description="The whole answer, corrected where it was wrong.")
    answer: str = Field(default="", description="The short answer that `text` comes to; empty for prose.")

    @field_validator("evidence", mode="before")
    @classmethod
    def _numbers(cls, value: Any) -> Any:
        """Numbers, however they are written: 1, "[1]", "1 and 2"."""
        parts = value if isinstance(value, list) else [value]
        return [int(number) for part in parts for number in re.findall(r"\d{1,3}", str(part))]

    @model_validator(mode="after")
    def _read(self) -> "Conclusion":
        self.answer = self.answer or short_answer(self.text)
        return self


class Finish(BaseModel):
    """How a draft ends (ReAct): what a conclusion is where there was nothing to critique."""

    text: str = Field(description='The reasoning in a few short sentences, then "So the answer is: " and the answer.')
    answer: str = Field(description="The answer alone, in as few words as will do.")


class Turn(BaseModel):
    """One turn of a model that may use tools: the tools that it wants to use next, or its conclusion."""

    thought: str = Field(default="", description="Why.")
    tool: str = Field(description="Name of a tool, or `conclude`.")
    argument: str = Field(default="", description="What the tool is given.")
    arguments: dict[str, Any] = Field(default={}, description="What a tool of the program's own is given, by name.")
    conclusion: Conclusion | None = Field(default=None, description="With `conclude`.")
    also: list["Turn"] = Field(default=[], description="Further tools to use at the same time.")
    message: SkipJsonSchema[AIMessage | None] = Field(default=None, description="As the model's provider gave it.")


def _can_be_done(task_input: TurnInput, output: Turn) -> str | None:
    if output.tool == CONCLUDE:
        if not output.conclusion:
            return "a conclusion is missing"
        if not output.conclusion.accepted and is_judgement(output.conclusion.answer):
            return f"`{output.conclusion.answer}` judges the answer and is none; accept it, or write the whole answer"
        return None
    if task_input["last"] or task_input["tools"] == [THINK]:
        return None  # what a last turn or a critic without tools asks for is not carried out, so it may be anything
    return next(filter(None, (_not_to_be_called(task_input, call) for call in (output, *output.also))), None)


def _not_to_be_called(task_input: TurnInput, call: Turn) -> str | None:
    if call.tool not in task_input["tools"]:
        return f"there is no tool `{call.tool}`; use {' or '.join([*task_input['tools'], CONCLUDE])}"
    if call.tool in task_input.get("own", {}):
        return None  # it checks its arguments itself
    return None if call.argument.strip() else f"`{call.tool}` was given nothing"


REACT = Task("react", TurnInput, Turn, _can_be_done, example=Conclusion)
QA_CRITIQUE = Task("qa_critique", TurnInput, Turn, _can_be_done, example=Conclusion)
CRITIQUE = Task("critique", TurnInput, Turn, _can_be_done, example=Conclusion)
QA_REASONING = Task("qa_reasoning", TurnInput, Turn, _can_be_done, example=Conclusion)
CRITIQUE_REASONING = Task("critique_reasoning", TurnInput, Turn, _can_be_done, example=Conclusion)
PROGRAM_CRITIQUE = Task("program_critique", ProgramInput, Critique)
PROGRAM_CORRECTION = Task("program_correction", ProgramCorrectionInput, Program)
UNTESTED_CRITIQUE = Task("untested_critique", UntestedInput, Critique)
UNTESTED_CORRECTION = Task("untested_correction", UntestedCorrectionInput, Program)
TOXICITY_CRITIQUE = Task("toxicity_critique", ToxicityInput, Critique)
REWRITE = Task("rewrite", RewriteInput, Draft)
