"""Who thinks. `task(context, name)` returns what carries out a task, in the make that the Context selects."""

from collections.abc import Awaitable, Callable
from typing import Any

from langchain_core.runnables import RunnableLambda
from pydantic import BaseModel, ValidationError

from ..state import EMBEDDED, Context
from ..state.errors import ConfigurationError, ErrataError, ModelError
from .endpoint import check_model, model_name
from .tasks import TASKS, Agreement, Draft, Queries, Ranking, Revision, Task

__all__ = [
    "TASKS",
    "Agreement",
    "Draft",
    "Queries",
    "Ranking",
    "Revision",
    "check_makes",
    "make_name",
    "model_name",
    "task",
]

Think = Callable[[dict[str, Any]], Awaitable[Any]]

MAKES: dict[str, tuple[str, ...]] = {
    "draft": ("chat",),
    "queries": ("chat", "lexical"),
    "rank": ("lexical", "cross_encoder"),
    "agreement": ("chat", "lexical"),
    "edit": ("chat", "lexical"),
}
"""The makes that each task comes in. The first is the one that a chat model other than the embedded turns it to."""


def make_name(context: Context, name: str) -> str:
    """The make that carries out a task: as the Context says, or else by its model.

    The embedded model drafts and is useless as a judge, so with it every task that can be lexical is.

    Raises ConfigurationError for a make that the task does not come in.
    """
    chosen = context.makes.get(name)
    if chosen is None:
        makes = MAKES[name]
        return "lexical" if context.model == EMBEDDED and "lexical" in makes else makes[0]
    if not isinstance(chosen, str):
        return getattr(chosen, "name", None) or type(chosen).__name__
    if chosen not in MAKES[name]:
        raise ConfigurationError(f"`{name}` has no make `{chosen}`: use {' or '.join(MAKES[name])}")
    return chosen


def check_makes(context: Context, *, drafting: bool) -> None:
    """Raise ConfigurationError for an unknown task or make, or for a chat model that is needed and can't be made.

    drafting
        Whether there is a draft to write. The embedded model is needed for nothing else.
    """
    for name in context.makes:
        if name not in TASKS:
            raise ConfigurationError(f"there is no task `{name}`: use {', '.join(TASKS)}")
    makes = [make_name(context, name) for name in TASKS if drafting or name != "draft"]
    if "chat" in makes or context.base_url:
        check_model(context)


def task(context: Context, name: str) -> RunnableLambda[dict[str, Any], Any]:
    """What carries out the task `name`: a Runnable from the task's input to its output (see `TASKS`).

    Raises ConfigurationError for an unknown make. Invoked, it raises ModelError when no usable output can be had.
    """
    definition = TASKS[name]
    make = make_name(context, name)
    chosen = context.makes.get(name)
    think = (
        _of_caller(chosen) if chosen is not None and not isinstance(chosen, str) else _ours(context, definition, make)
    )

    async def carry_out(task_input: dict[str, Any]) -> BaseModel:
        try:
            return _checked(definition, task_input, await think(task_input))
        except ErrataError:
            raise
        except Exception as error:
            raise ModelError(f"`{name}` ({make}) failed: {' '.join(str(error).split())[:300]}") from error

    return RunnableLambda(carry_out, name=f"{name} ({make})")


def _ours(context: Context, definition: Task, make: str) -> Think:
    # Imported here: no run needs all makes, and each has packages of its own to load.
    if make == "chat":
        from . import chat

        return lambda task_input: chat.think(context, definition, task_input)
    if make == "cross_encoder":
        from . import cross_encoder

        return lambda task_input: cross_encoder.rank(context, task_input)
    from . import lexical

    return RunnableLambda(getattr(lexical, definition.name)).ainvoke  # a sync function: it runs in a thread


def _of_caller(runnable: Any) -> Think:
    return lambda task_input: runnable.ainvoke(task_input)


def _checked(definition: Task, task_input: dict[str, Any], output: Any) -> BaseModel:
    try:
        checked = definition.output.model_validate(output)
    except ValidationError as error:
        raise ModelError(
            f"`{definition.name}` returned no {definition.output.__name__}: {error.errors()[0]['msg']}"
        ) from None
    if definition.check and (problem := definition.check(task_input, checked)):
        raise ModelError(f"`{definition.name}` returned an unusable {definition.output.__name__}: {problem}")
    return checked
