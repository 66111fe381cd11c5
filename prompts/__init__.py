"""The prompts: one YAML file per task, few-shot examples included. They are data, validated when loaded.

A caller may replace any of them: see `replaced`.
"""

from collections.abc import Mapping
from functools import lru_cache
from importlib import resources
from pathlib import Path
from typing import Any, Protocol

import yaml
from langchain_core.prompts import ChatPromptTemplate
from pydantic import BaseModel, ValidationError

from ..state.errors import ConfigurationError
from .prompt import Prompt
from .words import TurnWords, Words

__all__ = ["Prompt", "Purpose", "load_prompt", "load_protocol", "prompted", "read_words", "replaced", "source"]

TURNS = "turns"
"""The file that belongs to no task: how models and tools take turns."""


class Purpose(Protocol):
    """What a prompt is for: a task."""

    def __hash__(self) -> int: ...

    @property
    def name(self) -> str:
        """The name of the task."""

    @property
    def prompt(self) -> str:
        """The task whose prompt it uses; empty for its own."""

    @property
    def variables(self) -> frozenset[str]:
        """The names that a template may use."""

    @property
    def required(self) -> frozenset[str]:
        """The variables that always have a value."""

    @property
    def shown(self) -> type[BaseModel]:
        """What the output of an example has to be."""


@lru_cache
def prompted() -> frozenset[str]:
    """The tasks that have a prompt."""
    files = (Path(file.name) for file in resources.files(__package__).iterdir())
    return frozenset(file.stem for file in files if file.suffix == ".yaml") - {TURNS}


def source(name: str) -> str:
    """The text of a built-in prompt file.

    Raises:
        ConfigurationError: If there is none.
    """
    try:
        return (resources.files(__package__) / f"{name}.yaml").read_text("utf-8")
    except FileNotFoundError:
        raise ConfigurationError(f"{name}.yaml: there is no such prompt") from None


@lru_cache
def load_protocol() -> TurnWords:
    """The texts for turns between a model and its tools."""
    return TurnWords.model_validate(yaml.safe_load(source(TURNS)))


@lru_cache
def load_prompt(purpose: Purpose) -> Prompt:
    """The built-in prompt of a task.

    Raises:
        ConfigurationError: If there is none, or it does not fit the task. The message names its file.
    """
    name = purpose.prompt or purpose.name
    return _valid_prompt(purpose, read_words(source(name), f"{name}.yaml"), f"{name}.yaml")


def read_words(text: str, place: str) -> dict[str, Any]:
    """Parse a prompt file.

    Args:
        text: The file.
        place: Its name, for messages.

    Raises:
        ConfigurationError: If it is not YAML, or not a mapping.
    """
    try:
        words = yaml.safe_load(text)
    except yaml.YAMLError as error:
        raise ConfigurationError(f"{place}: not valid YAML: {' '.join(str(error).split())}") from error
    if not isinstance(words, dict):
        raise ConfigurationError(f"{place}: a prompt has `system` and `template`; `errata prompts TASK` prints one")
    return words


def replaced(purpose: Purpose, changes: Mapping[str, Any] | ChatPromptTemplate, place: str) -> Prompt:
    """The prompt of a task with the caller's changes.

    Args:
        purpose: The task.
        changes: The content of a prompt file, in which missing parts keep their built-in text; or a template for the
            whole request, whose variables are names of the task's input.
        place: Where it was given, for messages.

    Raises:
        ConfigurationError: If it does not fit the task.
    """
    shipped = load_prompt(purpose)
    if isinstance(changes, ChatPromptTemplate):
        prompt = Prompt(shipped.name, shipped.words, changes)
        _check_variables(purpose, prompt, place)
        try:
            request = prompt.messages({})[-1]
        except (ValueError, TypeError, LookupError) as error:
            raise ConfigurationError(
                f"{place}: it cannot be filled in: {' '.join(str(error).split())[:200]}"
            ) from error
        if request.type != "human":
            raise ConfigurationError(f"{place}: the last message must be the request, a `human` message")
    elif isinstance(changes, Mapping):
        built_in = shipped.words.model_dump(exclude={"template_in_context"} if "template" in changes else None)
        prompt = _valid_prompt(purpose, {**built_in, **changes}, place)
        if prompt.words.format != shipped.words.format:
            raise ConfigurationError(f"{place}: the format of `{purpose.name}` is {shipped.words.format}, leave it so")
    else:
        raise ConfigurationError(
            f"{place}: a prompt is a mapping, as in {{'system': '...'}}, or a ChatPromptTemplate, "
            f"not a {type(changes).__name__}"
        )
    if missing := (shipped.always & purpose.required) - prompt.always:
        raise ConfigurationError(f"{place}: `{purpose.name}` needs {_braced(missing)} in its prompt")
    return prompt


def _valid_prompt(purpose: Purpose, words: Mapping[str, Any], place: str) -> Prompt:
    try:
        prompt = Prompt(purpose.prompt or purpose.name, Words.model_validate(words))
        for example in prompt.words.examples:
            purpose.shown.model_validate(example.output)
        steps = (step for example in prompt.words.examples for step in example.steps)
        if unknown := {step.tool for step in steps} - load_protocol().tools.keys():
            raise ValueError(f"there is no tool {', '.join(sorted(unknown))}")
        _check_variables(purpose, prompt, place)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        raise ConfigurationError(f"{place}: {'.'.join(map(str, first['loc']))}: {first['msg']}") from error
    except ValueError as error:
        raise ConfigurationError(f"{place}: {' '.join(str(error).split())}") from error
    return prompt


def _check_variables(purpose: Purpose, prompt: Prompt, place: str) -> None:
    example_names = (name for example in prompt.words.examples for name in example.input)
    try:
        used = prompt.variables.union(example_names)
    except ValueError as error:
        reason = " ".join(str(error).split())
        raise ConfigurationError(f"{place}: `template`: {reason}; double any brace that is not a variable") from error
    if unknown := used - purpose.variables:
        raise ConfigurationError(
            f"{place}: `{purpose.name}` has no {_braced(unknown)}: use {_braced(purpose.variables)}"
        )
    if not prompt.variables:
        raise ConfigurationError(f"{place}: the template uses none of {_braced(purpose.variables)}")


def _braced(names: frozenset[str]) -> str:
    return ", ".join(f"{{{name}}}" for name in sorted(names))
