"""A prompt with its values filled in. No value can leave its place."""

import json
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import cycle
from typing import Any

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage
from langchain_core.prompts import ChatPromptTemplate

from .words import Example, Words


@dataclass(frozen=True)
class Prompt:
    """The prompt of a task, ready to be filled in."""

    name: str
    words: Words
    given: ChatPromptTemplate | None = None
    """The caller's template, instead of the built-in instructions, examples and request."""

    def messages(
        self, task_input: Mapping[str, Any], shown: Callable[[Example], str] | None = None, more: str = ""
    ) -> list[BaseMessage]:
        """Render the request: instructions and worked examples, then the input in delimited blocks.

        The examples are in the first message instead of separate turns, because every message costs the client time.

        Args:
            task_input: The task's input.
            shown: How to write the path from an example's input to its output; by default only the reply.
            more: Further instructions.

        Returns:
            The messages; the last is the request.
        """
        if self.given is None:
            instructions = self._instructions if shown is None else self.instructions(shown, more)
            return [SystemMessage(instructions), HumanMessage(self.request(task_input))]
        rendered = self._rendered(self.given, task_input)
        return [*([SystemMessage(more)] if more else []), *rendered]

    def conversation(
        self, task_input: Mapping[str, Any], said: Callable[[Example], Iterable[str]], more: str
    ) -> list[BaseMessage]:
        """As `messages`, with each worked example as a conversation: a small model goes on as in those before.

        Args:
            task_input: The task's input.
            said: What comes after an example's request: the model's turns and, between them, those of the user.
            more: Further instructions.
        """
        if self.given is not None:
            return self.messages(task_input, more=more)
        shown = [
            role(text)
            for example in self.words.examples
            for role, text in zip(cycle((HumanMessage, AIMessage)), [self.request(example.input), *said(example)])
        ]
        instructions = f"{self.words.system.strip()}\n\n{more}".strip()
        return [SystemMessage(instructions), *shown, HumanMessage(self.request(task_input))]

    @cached_property
    def _instructions(self) -> str:
        return self.instructions(lambda example: f"Reply:\n{self._reply(example.output)}")

    def instructions(self, shown: Callable[[Example], str], more: str = "") -> str:
        """The instructions for the model, and the worked examples. Arguments as for `messages`."""
        examples = [
            f"Example {number}\n\n{self.request(example.input)}\n\n{shown(example)}"
            for number, example in enumerate(self.words.examples, start=1)
        ]
        return "\n\n".join(part for part in (self.words.system.strip(), more.strip(), *examples) if part)

    def request(self, task_input: Mapping[str, Any]) -> str:
        """The input in delimited blocks."""
        template = self._in_context if task_input.get("question") else self._alone
        request = str(self._rendered(template, task_input)[-1].text)
        if self.words.drops_empty:
            droppable = self.words.drops_empty if isinstance(self.words.drops_empty, list) else template.input_variables
            empty = "|".join(name for name in droppable if not _written(task_input.get(name, "")).strip())
            request = re.sub(rf"<({empty})>\n\n</\1>\n?", "", request) if empty else request
        return request.strip()

    def last(self, task_input: Mapping[str, Any]) -> str:
        """What a model that cannot call tools is told on its last turn; empty if this prompt has no words for it."""
        return str(self._rendered(self._last, task_input)[-1].text).strip()

    @property
    def variables(self) -> frozenset[str]:
        """The names of the input that it uses, always or sometimes."""
        return frozenset(name for template in (*self._templates, self._last) for name in template.input_variables)

    @property
    def always(self) -> frozenset[str]:
        """The names that it always uses."""
        used = [frozenset(template.input_variables) for template in self._templates]
        return frozenset.intersection(*used)

    @property
    def _templates(self) -> list[ChatPromptTemplate]:
        return [self.given] if self.given else [self._alone, self._in_context]

    @cached_property
    def _alone(self) -> ChatPromptTemplate:
        return ChatPromptTemplate([("human", self.words.template.strip())])

    @cached_property
    def _in_context(self) -> ChatPromptTemplate:
        return ChatPromptTemplate([("human", (self.words.template_in_context or self.words.template).strip())])

    @cached_property
    def _last(self) -> ChatPromptTemplate:
        return ChatPromptTemplate([("human", self.words.last)])

    @cached_property
    def _blocks(self) -> frozenset[str]:
        """The names of the tags that delimit the values."""
        bare = [template.format(**dict.fromkeys(template.input_variables, "")) for template in self._templates]
        return self.variables | frozenset(re.findall(r"</?\s*([\w.-]+)", "".join(bare)))

    def _rendered(self, template: ChatPromptTemplate, task_input: Mapping[str, Any]) -> list[BaseMessage]:
        values = {
            name: _written(task_input.get(name, ""), self.words.numbers_lists) for name in template.input_variables
        }
        return template.format_messages(**{name: _contained(value, self._blocks) for name, value in values.items()})

    def _reply(self, output: dict[str, Any]) -> str:
        match self.words.format:
            case "text":
                return str(output["text"])
            case "program":
                return f"```python\n{output['code']}\n```"
            case _:
                return json.dumps(output, ensure_ascii=False)


def _written(value: Any, numbered: bool = True) -> str:
    """A value as text. A list becomes numbered items; nothing in one can end it, or pose as another."""
    if not isinstance(value, list):
        return str(value)
    if not numbered:
        fields = (item.values() if isinstance(item, dict) else [item] for item in value)
        return "\n\n".join(": ".join(_flat(str(each)) for each in item if each) for item in fields)
    items = [f"[{number}] {_item(item)}" for number, item in enumerate(value, start=1)]
    return ("\n\n" if any("\n" in item for item in items) else "\n").join(items)


def _item(item: Any) -> str:
    """An item of a list: words on one line, or the fields of a record, one per line."""
    if isinstance(item, dict):
        return "\n".join(f"{name}: {_flat(words)}" for name, words in item.items() if words)
    return _flat(str(item))


def _flat(words: str) -> str:
    return " ".join(words.split())


def _contained(value: str, blocks: frozenset[str]) -> str:
    """Keep a value inside its block: a tag in it that would close or open a block loses its angle bracket."""
    tag = rf"<(?=\s*(?:/\s*)?(?:{'|'.join(map(re.escape, sorted(blocks)))})\b)"
    return re.sub(tag, "‹", value, flags=re.IGNORECASE).strip()
