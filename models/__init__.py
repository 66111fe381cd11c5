"""The models. `task(context, AGREEMENT)` returns what does a task, using the backend that the Context selects."""

import asyncio
from collections.abc import Callable, Iterable
from typing import Any, Generic

from langchain_core.runnables import Runnable, RunnableConfig
from pydantic import ValidationError

from ..state import Context, embedded_name
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
    """Whether the chat model is known to follow a JSON schema, according to its profile in LangChain.

    Raises:
        ConfigurationError: If the model is not available.
    """
    from .providers.endpoint import connect

    async with connect(context) as endpoint:
        profile = getattr(endpoint.line.model, "profile", None) or {}
        return bool(profile.get("structured_output"))


def check_backends(context: Context, tasks: Iterable[str]) -> None:
    """Check that tasks can be done as the Context says.

    Args:
        context: The settings of a run.
        tasks: The tasks of the run. A chat model that none of them needs is not checked, unless
            the settings name its file.

    Raises:
        ConfigurationError: For an unknown task or backend, a prompt that does not fit, or a model that is not
            available.
    """
    check_names(context)
    check_prompts(context)
    chosen = {name: backend(context, TASKS[name]) for name in tasks}
    if CHAT in chosen.values() or context.base_url or embedded_name(context.model):
        check_model(context)
    for name, each in chosen.items():
        each.check(context, name)


def check_names(context: Context) -> None:
    """Check that there is a task for each name that the Context has a backend for.

    Raises:
        ConfigurationError: If there is none.
    """
    for name in context.backends:
        if name not in TASKS:
            listed = nearest(name, TASKS, "`errata prompts` lists those with a prompt")
            raise ConfigurationError(f"there is no task `{name}`: {listed}")


def task(context: Context, definition: Task[In, Out]) -> "TaskModel[In, Out]":
    """Make a Runnable that does a task, from its input to its output.

    When invoked, it raises ModelError if there is no usable output.

    Args:
        context: The settings, which decide who does it.
        definition: The task.

    Raises:
        ConfigurationError: If the task cannot be done as the Context says.
    """
    chosen = backend(context, definition)
    return TaskModel(definition, chosen, chosen.load(context, definition))


class TaskModel(Runnable[In, Out], Generic[In, Out]):
    """Does a task with one of its backends. Asynchronous, like everything that waits for models."""

    def __init__(self, definition: Task[In, Out], backend: Backend, think: Think) -> None:
        self.definition = definition
        self.backend = backend
        self.think = think
        self.name = f"{definition.name} ({backend.name})"

    async def ainvoke(self, input: In, config: RunnableConfig | None = None, **kwargs: Any) -> Out:
        """Do the task, as a run of its own in the trace. Raises ModelError if there is no usable output."""
        output: Out = await traced(self.definition.name, input, lambda: self._carry_out(input), config, kind="chain")
        return output

    async def _carry_out(self, task_input: In) -> Out:
        try:
            readable, restore = self._readable(task_input)
            return _checked(self.definition, task_input, restore(await self.think(readable)))
        except ErrataError:
            raise
        except Exception as error:
            raise ModelError(f"`{self.name}` failed: {' '.join(redacted(str(error)).split())[:300]}") from error

    def _readable(self, task_input: In) -> tuple[In, Callable[[Any], Any]]:
        """The input as it may be shown to the backend, and a function that restores the output."""
        if not self.backend.reads_tokens:
            return task_input, lambda output: output
        return defused(task_input, self.definition.variables)

    def invoke(self, input: In, config: RunnableConfig | None = None, **kwargs: Any) -> Out:
        """As `ainvoke`, outside an event loop."""
        return asyncio.run(self.ainvoke(input, config))

    async def several(
        self, context: Context, task_input: In, n: int, temperature: float | None = None
    ) -> list[Out | ModelError]:
        """The outputs of a task done `n` times; for a failure, its ModelError.

        A chat model is asked once if it gives several replies per request. Rules always return the same.

        Args:
            context: The settings of the run.
            task_input: The input.
            n: How many times.
            temperature: That of a chat model, if not the task's.
        """
        if self.backend is CHAT:
            from . import chat

            readable, restore = self._readable(task_input)
            try:
                replies = await in_time(lambda: chat.several(context, self.definition, readable, n, temperature))
                return [reply if isinstance(reply, ModelError) else restore(reply) for reply in replies]
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
