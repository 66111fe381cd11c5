"""Who thinks. `task(context, name)` returns what carries out a task, in the backend that the Context selects."""

import asyncio
from collections.abc import Iterable
from typing import Any

from langchain_core.runnables import Runnable, RunnableConfig
from pydantic import BaseModel, ValidationError

from ..state import Context
from ..state.errors import ConfigurationError, ErrataError, ModelError
from ..state.traces import traced
from .backends import BACKENDS, CHAT, Backend, Think, choose
from .outputs import (
    CONCLUDE,
    Agreement,
    Answered,
    Chains,
    Choice,
    Conclusion,
    Corruption,
    Critique,
    Draft,
    Edited,
    Entities,
    Feedback,
    Judgements,
    Program,
    Queries,
    Ranking,
    Revision,
    Samples,
    Searches,
    Sourced,
    Statement,
    Subsentences,
    Triplets,
    Turn,
    Utility,
    VerifyingAnswer,
    VerifyingQuestion,
)
from .provider import check_model, model_name
from .tasks import TASKS, Task

__all__ = [
    "BACKENDS",
    "CONCLUDE",
    "TASKS",
    "Agreement",
    "Answered",
    "Backend",
    "Chains",
    "Choice",
    "Conclusion",
    "Corruption",
    "Critique",
    "Draft",
    "Edited",
    "Entities",
    "Feedback",
    "Judgements",
    "Program",
    "Queries",
    "Ranking",
    "Revision",
    "Samples",
    "Searches",
    "Sourced",
    "Statement",
    "Subsentences",
    "Triplets",
    "Turn",
    "Utility",
    "VerifyingAnswer",
    "VerifyingQuestion",
    "backend",
    "check_backends",
    "check_names",
    "model_name",
    "task",
]


def backend(context: Context, name: str) -> Backend:
    """Who carries out the task `name`, and what follows from that for a run.

    Raises:
        ConfigurationError: If the Context names a backend that cannot carry the task out.
    """
    return choose(context, TASKS[name])


def check_backends(context: Context, tasks: Iterable[str]) -> None:
    """Check that tasks can be carried out as the Context says.

    Args:
        context: The settings of a run.
        tasks: What the run is to carry out: a chat model that none of these needs is not looked at.

    Raises:
        ConfigurationError: For an unknown task or backend, or a model that cannot be had.
    """
    check_names(context)
    chosen = {name: backend(context, name) for name in tasks}
    if CHAT in chosen.values() or context.base_url:
        check_model(context)
    for name, each in chosen.items():
        each.check(context, name)


def check_names(context: Context) -> None:
    """Raise ConfigurationError for a backend of a task that there is not."""
    for name in context.backends:
        if name not in TASKS:
            raise ConfigurationError(f"there is no task `{name}`: use {', '.join(TASKS)}")


def task(context: Context, name: str) -> "TaskModel":
    """What carries out the task `name`: a Runnable from the task's input to its output (see `TASKS`).

    Raises ConfigurationError for an unknown backend. Invoked, it raises ModelError when no usable output can be had.
    """
    definition = TASKS[name]
    chosen = backend(context, name)
    return TaskModel(definition, chosen, chosen.load(context, definition))


class TaskModel(Runnable[dict[str, Any], Any]):
    """What carries out a task, in one of its backends. Asynchronous, like all that waits for models."""

    def __init__(self, definition: Task, backend: Backend, think: Think) -> None:
        self.definition = definition
        self.backend = backend
        self.think = think
        self.name = f"{definition.name} ({backend.name})"

    async def ainvoke(self, input: dict[str, Any], config: RunnableConfig | None = None, **kwargs: Any) -> Any:
        return await traced(self.definition.name, input, lambda: self._carry_out(input), config, kind="chain")

    async def _carry_out(self, task_input: dict[str, Any]) -> Any:
        try:
            return _checked(self.definition, task_input, await self.think(task_input))
        except ErrataError:
            raise
        except Exception as error:
            raise ModelError(f"`{self.name}` failed: {' '.join(str(error).split())[:300]}") from error

    def invoke(self, input: dict[str, Any], config: RunnableConfig | None = None, **kwargs: Any) -> Any:
        return asyncio.run(self.ainvoke(input, config))

    async def several(self, context: Context, task_input: dict[str, Any], n: int) -> list[Any]:
        """The outputs of a task carried out `n` times; where one of the times failed, its ModelError.

        A chat model is asked once where it gives several replies to a request. Rules always come to the same.
        """
        if self.backend is CHAT:
            from . import chat

            try:
                return await chat.several(context, self.definition, task_input, n)
            except ModelError as error:
                return [error]
        times = n if self.backend.varies else 1
        came = await asyncio.gather(*(self.ainvoke(task_input) for _ in range(times)), return_exceptions=True)
        if wrong := next(
            (one for one in came if isinstance(one, BaseException) and not isinstance(one, ModelError)), None
        ):
            raise wrong
        return list(came)


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
