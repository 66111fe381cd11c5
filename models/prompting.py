"""Which prompt a task has: the one that ships, or the one that the Context puts in its place."""

from collections.abc import Iterable
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Any

from ..prompts import Prompt, load_prompt, prompted, read_words, replaced
from ..state import Context
from ..state.errors import ConfigurationError, absent, nearest
from .tasks import TASKS
from .tasks.task import Task


def prompt_of(context: Context, task: Task[Any, Any]) -> Prompt:
    """The prompt of a task, with the instructions of the Context. A file in a folder is read again if it has changed.

    Raises:
        ConfigurationError: If its replacement does not fit the task.
    """
    prompt = _prompt_of(context, task)
    instructions = context.instructions.get(prompt.name)
    if instructions is None:
        return prompt
    if prompt.given:
        raise ConfigurationError(
            f"`{prompt.name}` has a template in `prompts`, and `instructions`: give one of the two"
        )
    return replace(prompt, words=prompt.words.model_copy(update={"system": instructions}))


def _prompt_of(context: Context, task: Task[Any, Any]) -> Prompt:
    name, prompts = task.prompt or task.name, context.prompts
    if isinstance(prompts, str):
        file = Path(prompts).expanduser() / f"{name}.yaml"
        return _from_file(task, file, file.stat().st_mtime_ns) if file.is_file() else load_prompt(task)
    if prompts and name in prompts:
        return replaced(task, prompts[name], f"prompts[{name!r}]")
    return load_prompt(task)


@lru_cache(maxsize=256)
def _from_file(task: Task[Any, Any], file: Path, modified: int) -> Prompt:
    """The prompt in a file; `modified` is its time, so that a change is noticed."""
    try:
        text = file.read_text("utf-8")
    except (OSError, UnicodeError) as error:
        raise ConfigurationError(f"{file}: cannot be read: {error}") from error
    return replaced(task, read_words(text, str(file)), str(file))


def check_prompts(context: Context) -> None:
    """Check every prompt with which the Context replaces a built-in one.

    Raises:
        ConfigurationError: If there is no such folder or task, or a prompt does not fit its task.
    """
    for name, place in _replacing(context):
        if name not in prompted():
            listed = nearest(name, sorted(prompted()), "`errata prompts` lists them")
            raise ConfigurationError(f"{place}: there is no prompt `{name}`: {listed}")
        for task in TASKS.values():
            if name == (task.prompt or task.name):
                prompt_of(context, task)


def _replacing(context: Context) -> Iterable[tuple[str, str]]:
    """The names of the prompts that are replaced, whole or in part, and the place of the replacement."""
    in_part = [(name, "instructions") for name in context.instructions]
    prompts = context.prompts
    if not isinstance(prompts, str):
        return [*((str(name), "prompts") for name in prompts or ()), *in_part]
    folder = Path(prompts).expanduser()
    if not folder.is_dir():
        raise ConfigurationError(absent(prompts, "`errata prompts --copy DIR` writes one with prompts", "folder"))
    files = sorted(file for file in folder.iterdir() if file.suffix in (".yaml", ".yml"))
    if not files:
        raise ConfigurationError(
            f"{prompts}: no prompts there; `errata prompts --copy {prompts}` writes some to begin with"
        )
    return [*((file.stem if file.suffix == ".yaml" else file.name, str(file)) for file in files), *in_part]
