"""The content of a prompt file."""

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field


class Step(BaseModel):
    """A tool that was used on the way to an output."""

    model_config = ConfigDict(extra="forbid")

    thought: str
    tool: str
    argument: str
    told: str


class Example(BaseModel):
    """A worked example: the task's input and the output that the model should have given."""

    model_config = ConfigDict(extra="forbid")

    input: dict[str, str | list[str] | list[dict[str, str]]]
    steps: list[Step] = []
    """The steps between the two, if the model takes turns with tools."""
    output: dict[str, Any]


class Words(BaseModel):
    """The content of a prompt file."""

    model_config = ConfigDict(extra="forbid")

    temperature: float = Field(ge=0, le=2)
    room: int | None = Field(default=None, ge=1)
    """Tokens after which the reply may end anywhere; by default it has the room that it needs."""
    format: Literal["json", "text", "program", "turns"]
    """The format of the reply. `text`: the whole reply is the output's `text`, without structure. `program`: the fenced
    block of the reply is its `code`. `turns`: the model takes turns with tools, and an example's output is its
    conclusion.
    """
    system: str
    template: str
    """The request, for a text that stands alone."""
    template_in_context: str | None = None
    """The request, for a text that answers a `question`."""
    drops_empty: bool | list[str] = False
    """Whether an empty block of the request is left out; or the blocks that are."""
    numbers_lists: bool = True
    """Whether the items of a list have numbers to refer to."""
    last: str = ""
    """For `turns`: how a model that cannot call tools concludes on its last turn, with the input's values in braces. By
    default by one of the lines.
    """
    examples: list[Example] = []


class ToolWords(BaseModel):
    """How a tool is described."""

    model_config = ConfigDict(extra="forbid")

    argument: str
    """The name of its only argument."""
    description: str
    about: str
    """What the argument is."""
    ask: str
    """What a model that cannot call tools writes before the argument."""
    told: str
    """What it is shown before the result."""


class TurnWords(BaseModel):
    """How a model and its tools take turns: the texts of `turns.yaml`."""

    model_config = ConfigDict(extra="forbid")

    tools: dict[str, ToolWords]
    conclude: str
    """What the tool `conclude` is for."""
    protocol: str
    """The instructions for a model that cannot call tools."""
    drafting: str
    """The same where there is nothing to critique."""
    lines: dict[Literal["tool", "accepted", "corrected", "finish"], str]
    """The lines with which such a model ends its turn."""
    first: str
    """What such a model is asked to do before it has used a tool."""
    again: str
    """What it is asked for after a turn without a line."""
    last: str
    """The instructions for its last turn, before the lines that conclude."""
    last_call: str
    """The same for a model that calls tools."""
