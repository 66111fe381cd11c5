"""The words: one YAML file per task, few-shot examples included. Data, checked when it is loaded."""

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, lru_cache
from importlib import resources
from pathlib import Path
from string import Formatter
from typing import Any, Literal

import yaml
from langchain_core.messages import BaseMessage, HumanMessage, SystemMessage
from pydantic import BaseModel, ConfigDict, Field

__all__ = ["Prompt", "PromptError", "Protocol", "load_prompt", "load_protocol", "prompted"]


class PromptError(Exception):
    """A prompt file that does not fit its task. The message names the file."""


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
    examples: list[Example] = []


@dataclass(frozen=True)
class Prompt:
    """A task's words, ready to be filled in."""

    name: str
    words: Words

    def messages(self, task_input: dict[str, Any]) -> list[BaseMessage]:
        """Render the request: instructions and worked examples, then the input in delimited blocks.

        The examples stand in the first message instead of taking turns: clients take time over every message.
        """
        return [SystemMessage(self._instructions), HumanMessage(self.request(task_input))]

    @cached_property
    def _instructions(self) -> str:
        return self.instructions(lambda example: f"Reply:\n{self._reply(example.output)}")

    def instructions(self, shown: Callable[[Example], str], more: str = "") -> str:
        """What the model is to do, and the worked examples.

        shown
            how the way from an example's input to its output is written
        more
            further instructions that come before the examples
        """
        examples = [
            f"Example {number}\n\n{self.request(example.input)}\n\n{shown(example)}"
            for number, example in enumerate(self.words.examples, start=1)
        ]
        return "\n\n".join(part for part in (self.words.system.strip(), more.strip(), *examples) if part)

    def request(self, task_input: dict[str, Any]) -> str:
        """The input in delimited blocks."""
        alone, in_context = self.words.template, self.words.template_in_context or self.words.template
        template = in_context if task_input.get("question") else alone
        blocks = _variables(alone) | _variables(in_context)
        fields = {name: _contained(_written(task_input.get(name, "")), blocks) for name in _variables(template)}
        if self.words.drops_empty:
            empty = "|".join(name for name, value in fields.items() if not value)
            template = re.sub(rf"<({empty})>\n{{\1}}\n</\1>\n?", "", template) if empty else template
        return template.strip().format(**fields)

    def _reply(self, output: dict[str, Any]) -> str:
        match self.words.format:
            case "text":
                return str(output["text"])
            case "program":
                return f"```python\n{output['code']}\n```"
            case _:
                return json.dumps(output, ensure_ascii=False)


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


class Protocol(BaseModel):
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


@lru_cache
def prompted() -> frozenset[str]:
    """The tasks that there is a prompt for."""
    files = (Path(file.name) for file in resources.files(__package__).iterdir())
    return frozenset(file.stem for file in files if file.suffix == ".yaml") - {"turns"}


@lru_cache
def load_protocol() -> Protocol:
    """Read `turns.yaml`."""
    return Protocol.model_validate(yaml.safe_load((resources.files(__package__) / "turns.yaml").read_text("utf-8")))


@lru_cache
def load_prompt(name: str, variables: frozenset[str], output: type[BaseModel]) -> Prompt:
    """Read `<name>.yaml` and check it against the task's input variables and output schema.

    Raises PromptError, with the file's name, for missing or unknown keys, for a template variable that the task does
    not have, and for an example whose output is not one.
    """
    file = f"{name}.yaml"
    try:
        words = Words.model_validate(yaml.safe_load((resources.files(__package__) / file).read_text("utf-8")))
        for example in words.examples:
            output.model_validate(example.output)
        unknown_tools = {
            step.tool for example in words.examples for step in example.steps
        } - load_protocol().tools.keys()
        if unknown_tools:
            raise ValueError(f"there is no tool {', '.join(sorted(unknown_tools))}")
        used = [_variables(words.template), _variables(words.template_in_context or "")]
    except FileNotFoundError:
        raise PromptError(f"{file}: there is no such prompt") from None
    except (yaml.YAMLError, ValueError) as error:
        raise PromptError(f"{file}: {error}") from error
    used += [set(example.input) for example in words.examples]
    if unknown := set().union(*used) - variables:
        raise PromptError(f"{file}: the task has no {', '.join(sorted(unknown))}")
    if not used[0]:
        raise PromptError(f"{file}: the template uses none of {', '.join(sorted(variables))}")
    return Prompt(name, words)


def _variables(template: str) -> set[str]:
    return {field for _, field, _, _ in Formatter().parse(template) if field}


def _written(value: Any) -> str:
    """A value as text. A list becomes numbered items; nothing in one can end it, or pose as another."""
    if not isinstance(value, list):
        return str(value)
    items = [f"[{number}] {_item(item)}" for number, item in enumerate(value, start=1)]
    return ("\n\n" if any("\n" in item for item in items) else "\n").join(items)


def _item(item: Any) -> str:
    """An item of a list: words on one line, or the fields of a record, a line each."""
    if isinstance(item, dict):
        return "\n".join(f"{name}: {_flat(words)}" for name, words in item.items() if words)
    return _flat(str(item))


def _flat(words: str) -> str:
    return " ".join(words.split())


def _contained(value: str, blocks: set[str]) -> str:
    """Keep a value inside its block: a tag in it that would close or open a block loses its angle bracket."""
    tag = rf"<(?=\s*/?\s*(?:{'|'.join(sorted(blocks))})\b)"
    return re.sub(tag, "‹", value, flags=re.IGNORECASE).strip()
