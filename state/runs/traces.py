"""A named run in the trace for each piece of work that LangChain would not see: a task, a search."""

from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

from langchain_core.callbacks import BaseCallbackManager
from langchain_core.runnables import Runnable, RunnableConfig, ensure_config
from langchain_core.runnables.config import get_async_callback_manager_for_config

from .deadline import in_time
from .meter import Meter
from .secrets import redact

T = TypeVar("T")


async def traced(
    name: str,
    shown_input: Any,
    work: Callable[[], Awaitable[T]],
    config: RunnableConfig | None = None,
    *,
    kind: str = "tool",
) -> T:
    """Do a piece of work as a named run, inside the current run and within its deadline.

    It costs little if nothing is traced.

    Args:
        name: The name of the run.
        shown_input: The input that the trace shows.
        work: The work to do.
        config: The config of the parent run; the current one if None.
        kind: LangSmith's type of run: `tool`, `chain`.

    Returns:
        The result of the work.

    Raises:
        DeadlinePassed: If the deadline of the run has passed, or passes meanwhile.
    """
    config = ensure_config(config)
    if not is_heard(config):
        return await in_time(work)
    result: T = await _Run(lambda: in_time(work), kind).ainvoke(shown_input, {**config, "run_name": name})
    return result


def is_heard(config: RunnableConfig) -> bool:
    """Whether anybody listens to what is done under a config. Inside a run, its callbacks have been put together."""
    callbacks = config.get("callbacks")
    if not isinstance(callbacks, BaseCallbackManager):
        callbacks = get_async_callback_manager_for_config(config)
    return not all(isinstance(handler, Meter) for handler in callbacks.handlers)


class _Run(Runnable[Any, Any]):
    def __init__(self, work: Callable[[], Awaitable[Any]], kind: str) -> None:
        self.work = work
        self.kind = kind

    def invoke(self, input: Any, config: RunnableConfig | None = None, **kwargs: Any) -> Any:
        raise NotImplementedError("what is traced is asynchronous")

    async def ainvoke(self, input: Any, config: RunnableConfig | None = None, **kwargs: Any) -> Any:
        return await self._acall_with_config(self._do, input, config, run_type=self.kind)

    async def _do(self, _: Any) -> Any:
        try:
            return await self.work()
        except Exception as error:
            redact(error)
            raise
