"""What a prompt file holds."""

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
    """What came between the two, where the model takes turns with tools."""
    output: dict[str, Any]


class Words(BaseModel):
    """What a prompt file holds."""

    model_config = ConfigDict(extra="forbid")

    temperature: float = Field(ge=0, le=2)
    room: int | None = Field(default=None, ge=1)
    """Tokens after which the reply may end anywhere; by default it has the room that it needs."""
    format: Literal["json", "text", "program", "turns"]
    """`text`: the reply as it stands is the output's `text`, with no structure asked for. `program`: the reply's fenced
    block is its `code`. `turns`: the model takes turns with tools, and an example's output is what it concludes."""
    system: str
    template: str
    """The request, for a text that stands alone."""
    template_in_context: str | None = None
    """The request, for a text said in answer to a `question`."""
    drops_empty: bool = False
    """Whether a block of the request that nothing is in is left out."""
    numbers_lists: bool = True
    """Whether the items of a list have numbers, to be referred to by."""
    examples: list[Example] = []


class ToolWords(BaseModel):
    """How a tool is spoken of."""

    model_config = ConfigDict(extra="forbid")

    argument: str
    """Name of its only argument."""
    description: str
    about: str
    """What the argument is."""
    ask: str
    """What a model that cannot call tools writes before the argument."""
    told: str
    """What it is shown before the answer."""


class TurnWords(BaseModel):
    """How a model and its tools take turns: the words of `turns.yaml`."""

    model_config = ConfigDict(extra="forbid")

    tools: dict[str, ToolWords]
    conclude: str
    """What the tool `conclude` is for."""
    protocol: str
    """What a model is told that cannot call tools."""
    lines: dict[Literal["tool", "accepted", "corrected"], str]
    """The lines that such a model ends its turn with."""
    last: str
    """What it is told on its last turn."""
