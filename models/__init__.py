"""Who thinks. `task(context, AGREEMENT)` returns what carries out a task, in the backend that the Context selects."""

import asyncio
from collections.abc import Callable, Iterable
from typing import Any, Generic

from langchain_core.runnables import Runnable, RunnableConfig
from pydantic import ValidationError

from ..state import Context
from ..state.errors import ConfigurationError, ErrataError, ModelError, nearest
from ..state.runs.deadline import in_time
from ..state.runs.secrets import redacted
from ..state.runs.traces import traced
from .backends import BACKENDS, CHAT, Backend, Think
from .backends import choose as backend
from .control import defused
from .prompting import check_prompts
from .providers.provider import check_model, model_name
from .tasks import TASKS
from .tasks.task import In, Out, Task

__all__ = [
    "BACKENDS", "TASKS", "Backend", "Task", "TaskModel", "backend", "check_backends", "check_names", "check_prompts",
    "gives_objects", "model_name", "task",
]  # fmt: skip


async def gives_objects(context: Context) -> bool:
    """Whether the chat model is known to keep to a JSON schema: its profile in LangChain says so.

    Raises:
        ConfigurationError: If the model cannot be had.
    """
    from .providers.endpoint import connect

    async with connect(context) as endpoint:
        profile = getattr(endpoint.line.model, "profile", None) or {}
        return bool(profile.get("structured_output"))


def check_backends(context: Context, tasks: Iterable[str]) -> None:
    """Check that tasks can be carried out as the Context says.

    Args:
        context: The settings of a run.
        tasks: What the run is to carry out: a chat model that none of these needs is not looked at.

    Raises:
        ConfigurationError: For an unknown task or backend, a prompt that does not fit, or a model that cannot be had.
    """
    check_names(context)
    check_prompts(context)
    chosen = {name: backend(context, TASKS[name]) for name in tasks}
    if CHAT in chosen.values() or context.base_url:
        check_model(context)
    for name, each in chosen.items():
        each.check(context, name)


def check_names(context: Context) -> None:
    """Check that there is a task of each name that the Context has a backend for.

    Raises:
        ConfigurationError: If there is not.
    """
    for name in context.backends:
        if name not in TASKS:
            listed = nearest(name, TASKS, "`errata prompts` lists those with a prompt")
            raise ConfigurationError(f"there is no task `{name}`: {listed}")


def task(context: Context, wanted: Task[In, Out]) -> "TaskModel[In, Out]":
    """What carries out a task: a Runnable from its input to its output.

    Invoked, it raises ModelError when no usable output can be had.

    Raises:
        ConfigurationError: If it cannot be carried out as the Context says.
    """
    chosen = backend(context, wanted)
    return TaskModel(wanted, chosen, chosen.load(context, wanted))


class TaskModel(Runnable[In, Out], Generic[In, Out]):
    """What carries out a task, in one of its backends. Asynchronous, like all that waits for models."""

    def __init__(self, definition: Task[In, Out], backend: Backend, think: Think) -> None:
        self.definition = definition
        self.backend = backend
        self.think = think
        self.name = f"{definition.name} ({backend.name})"

    async def ainvoke(self, input: In, config: RunnableConfig | None = None, **kwargs: Any) -> Out:
        output: Out = await traced(self.definition.name, input, lambda: self._carry_out(input), config, kind="chain")
        return output

    async def _carry_out(self, task_input: In) -> Out:
        try:
            given, back = self._readable(task_input)
            return _checked(self.definition, task_input, back(await self.think(given)))
        except ErrataError:
            raise
        except Exception as error:
            raise ModelError(f"`{self.name}` failed: {' '.join(redacted(str(error)).split())[:300]}") from error

    def _readable(self, task_input: In) -> tuple[In, Callable[[Any], Any]]:
        """The input as it may be shown to who carries the task out, and what turns an output back."""
        if not self.backend.reads_tokens:
            return task_input, lambda output: output
        return defused(task_input, self.definition.variables)

    def invoke(self, input: In, config: RunnableConfig | None = None, **kwargs: Any) -> Out:
        return asyncio.run(self.ainvoke(input, config))

    async def several(self, context: Context, task_input: In, n: int) -> list[Out | ModelError]:
        """The outputs of a task carried out `n` times; where one of the times failed, its ModelError.

        A chat model is asked once where it gives several replies to a request. Rules always come to the same.
        """
        if self.backend is CHAT:
            from . import chat

            given, back = self._readable(task_input)
            try:
                replies = await in_time(lambda: chat.several(context, self.definition, given, n))
                return [reply if isinstance(reply, ModelError) else back(reply) for reply in replies]
            except ModelError as error:
                return [error]
        times = n if self.backend.varies else 1
        return list(await asyncio.gather(*(self._try(task_input) for _ in range(times))))

    async def _try(self, task_input: In) -> Out | ModelError:
        try:
            return await self.ainvoke(task_input)
        except ModelError as error:
            return error


def _checked(definition: Task[In, Out], task_input: In, output: Any) -> Out:
    try:
        checked = definition.output.model_validate(output)
    except ValidationError as error:
        raise ModelError(
            f"`{definition.name}` returned no {definition.output.__name__}: {error.errors()[0]['msg']}"
        ) from None
    if problem := definition.problem(task_input, checked):
        raise ModelError(f"`{definition.name}` returned an unusable {definition.output.__name__}: {problem}")
    return checked
