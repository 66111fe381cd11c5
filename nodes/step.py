"""The wrapper of every node: settings, sync and async calls, and a meter."""

import asyncio
import threading
from collections.abc import Awaitable, Callable, Collection, Coroutine, Mapping
from contextlib import AbstractContextManager, nullcontext
from functools import lru_cache
from typing import Any

from langchain_core.runnables import Runnable, RunnableConfig
from langgraph.config import get_stream_writer
from langgraph.runtime import get_runtime
from langgraph.types import Overwrite

from ..models import check_prompts
from ..state import Context
from ..state.errors import RunError
from ..state.runs.deadline import PASSED, deadline_in
from ..state.runs.given import of_caller
from ..state.runs.hosts import TrustedContext, guarded, own_fields
from ..state.runs.kept import kept, restored
from ..state.runs.meter import add_usage, metered, seconds, stopwatch

StepFunction = Callable[[Any, Context], Awaitable[dict[str, Any]]]


def step(function: StepFunction, *, first: bool = False) -> "Step":
    """Make a node of an async function from (state, context) to an update.

    Args:
        function: The step.
        first: Whether the step starts a run. It then counts usage from zero, whatever a checkpoint holds of an earlier
            run, and puts the settings of the run into the state, where all further steps find them.
    """
    return Step(function, first)


class Step(Runnable[Any, dict[str, Any]]):
    """A node that can be called sync and async, and that adds its usage and working time to its update."""

    def __init__(self, function: StepFunction, first: bool) -> None:
        self.function = function
        self.first = first
        self.name = getattr(function, "__name__", "step")

    async def ainvoke(self, input: Any, config: RunnableConfig | None = None, **kwargs: Any) -> dict[str, Any]:
        """Run the step on a state, within the run's deadline. Returns the update, with `usage` and `worked`."""
        measured = stopwatch()
        context = given_settings() if self.first else settings(input)
        if self.first and (context.prompts is not None or context.instructions):
            await asyncio.to_thread(check_prompts, context)
        with metered() as meter, _in_time(input, context):
            update = await self.function(input, context)
        if update.get("stopped") == "error" and PASSED in update["reason"]:
            update["stopped"] = "deadline"
        usage = {**meter.spent, **update.get("usage", {})}
        worked = [measured()]
        if self.first:
            anew = {"usage": Overwrite(add_usage(None, usage)), "worked": Overwrite(worked)}
            return {**update, **anew, "settings": kept(context, _private(context))}
        return {**update, "usage": usage, "worked": worked}

    def invoke(self, input: Any, config: RunnableConfig | None = None, **kwargs: Any) -> dict[str, Any]:
        """Run without an event loop, as in `graph.invoke`, on a loop that all such calls share."""
        return _wait_for(self.ainvoke(input, config))


def settings(state: Mapping[str, Any]) -> Context:
    """The settings of a run: those that it started with, whoever resumes it and with whatever context."""
    given = given_settings()
    found = restored(state["settings"], given)
    return guarded(found, given) if _is_hosted() else found


def of_run(state: Mapping[str, Any]) -> dict[str, Any]:
    """What a step needs to know about its run if it is sent to with a state of its own."""
    return {"settings": state["settings"], "worked": state["worked"]}


def _in_time(state: Mapping[str, Any], context: Context) -> AbstractContextManager[None]:
    """Limit a step to the time left before the deadline."""
    return (
        nullcontext()
        if context.deadline is None
        else deadline_in(context.deadline - seconds(state.get("worked") or []))
    )


def given_settings() -> Context:
    """The settings that the caller passed; the defaults if there are none, or if the context is not ours."""
    return of_caller(get_runtime(Context).context, hosted=_is_hosted())


def _private(context: Context) -> Collection[str]:
    """Settings that stay with the server's operator, because a client may read the state."""
    return own_fields() if _is_hosted() or isinstance(context, TrustedContext) else ()


def _is_hosted() -> bool:
    """Whether this is a run of the Agent Server, which names the graph it runs and lets no request override that."""
    return get_runtime(Context).server_info is not None


def emit(step_name: str, **data: Any) -> None:
    """Make a function that reports events to whoever streams the graph in mode `custom`."""
    get_stream_writer()({"step": step_name, **data})


def failed(step_name: str, error: RunError) -> dict[str, Any]:
    """The update of a step that failed permanently, so that some of the text is unchecked."""
    return {"failures": [{"step": step_name, "reason": str(error), "unchecked": True}]}


def _wait_for(work: Coroutine[Any, Any, dict[str, Any]]) -> dict[str, Any]:
    # Context variables travel along, so the node still finds its runtime, callbacks and stream.
    running = asyncio.run_coroutine_threadsafe(work, _background_loop())
    try:
        return running.result()
    finally:
        running.cancel()  # does nothing unless the wait was interrupted, as by Ctrl-C


@lru_cache
def _background_loop() -> asyncio.AbstractEventLoop:
    loop = asyncio.new_event_loop()
    threading.Thread(target=loop.run_forever, name="errata", daemon=True).start()
    return loop
