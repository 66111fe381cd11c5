"""Running a graph for a person: progress, review, checkpoints, and a result even if the run is interrupted."""

import asyncio
import signal
import sqlite3
import threading
import uuid
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.types import Command, Interrupt

from ..graphs import build, load, tasks, tools
from ..models import BACKENDS, check_backends
from ..nodes import so_far
from ..nodes.begin import check_limits
from ..state import Context, Result
from ..state.errors import ConfigurationError
from ..state.runs.chosen import chosen
from ..state.runs.kept import kept
from ..tools import interpreter, scorer, search_tool
from ..tools.reading.workers import in_thread
from .checkpoint import damage_named, note, opened, state_of
from .progress import Progress

Reviewer = Callable[[dict[str, Any]], dict[str, Any] | None]
"""Shows a proposed edit to a person and returns their answer, or None to leave the run paused."""


@dataclass
class Run:
    """One run of a method on one input."""

    method: str
    context: Context
    progress: Progress
    reviewer: Reviewer | None = None
    checkpoint: Path | None = None
    thread: str = ""
    question: str = ""
    drafted: bool = False
    """Whether the method drafted the text that it corrected."""
    interrupted: bool = False
    """Whether a person has interrupted it."""

    async def start(self, graph_input: dict[str, Any]) -> Result | None:
        """Run from the beginning. None if the run is paused for review, to be resumed from its checkpoint."""
        self.thread = self.thread or uuid.uuid4().hex[:8]
        self.question, self.drafted = graph_input.get("question", ""), not graph_input.get("text")
        searching = not graph_input.get("references")
        for tool in await in_thread(check, self.method, self.context, drafting=self.drafted, searching=searching):
            self.progress.skipped(getattr(tool, "skipped", []))
        async with opened(self.checkpoint) as saver:
            return await self._follow(graph_input, saver)

    async def resume(self) -> Result | None:
        """Continue from the checkpoint, after a pause for review or after the run was killed."""
        with damage_named(self.checkpoint):
            return await self._resume()

    async def _resume(self) -> Result | None:
        async with opened(self.checkpoint) as saver:
            graph = build(self.method).compile(checkpointer=saver, name=self.method)
            state = await state_of(graph, self._config)
            self.question = state.values.get("question", "")
            if not state.next:
                return _result(graph, state.values)
            await in_thread(check, self.method, self.context, drafting="draft" in state.next)
            return await self._follow(None, saver, list(state.interrupts), dict(state.values))

    async def _follow(
        self,
        graph_input: Any,
        saver: BaseCheckpointSaver[Any],
        pending: list[Interrupt] | None = None,
        last_state: dict[str, Any] | None = None,
    ) -> Result | None:
        """Stream the graph until it ends; whenever it pauses for a person, ask them and continue."""
        graph: Any = build(self.method).compile(checkpointer=saver, name=self.method)
        last_state = last_state or {}
        try:
            while True:
                if pending:
                    answers = self._answers(pending)
                    if answers is None:
                        return None
                    graph_input = Command(resume=answers)
                pending = []
                stream = graph.astream(
                    graph_input,
                    self._config,
                    context=self.context,
                    stream_mode=["custom", "values", *(["messages"] if self.progress.is_live else [])],
                    subgraphs=True,  # a draft in turns has its own steps
                    version="v1",
                )
                async for within, mode, chunk in stream:
                    if mode == "custom":
                        self.progress.saw(chunk)
                    elif mode == "messages":
                        self.progress.read(chunk[0].text)
                    elif not within and "__interrupt__" in chunk:
                        pending = list(chunk["__interrupt__"])
                    elif not within:
                        last_state = chunk
                if not pending:
                    return _result(graph, (await graph.aget_state(self._config)).values)
        except (asyncio.CancelledError, KeyboardInterrupt, EOFError):
            # Ctrl-C, or Ctrl-D at a question: the corrections so far are worth having.
            self.interrupted = True
            return so_far(last_state, self.context, "the run was cancelled")
        except sqlite3.Error as error:
            if not last_state:
                raise
            return so_far(last_state, self.context, f"--checkpoint {self.checkpoint}: {error}")

    def changed_settings(self) -> dict[str, Any]:
        """The settings that differ from their defaults, JSON-like and without secrets."""
        return kept(self.context)["values"]

    @property
    def _config(self) -> Any:
        return {"configurable": {"thread_id": self.thread}, "metadata": note(self.method, self.context)}

    def _answers(self, pending: list[Interrupt]) -> dict[str, Any] | None:
        if self.reviewer is None:
            return None
        self.progress.pause()
        with _ctrl_c_at_once():
            answers = {interrupt.id: self.reviewer(interrupt.value) for interrupt in pending}
        self.progress.go_on()
        return None if None in answers.values() else answers


MAKERS: dict[str, Callable[[Context], Any]] = {
    "search": search_tool,
    "python": interpreter,
    "toxicity": scorer,
}
"""What makes each kind of tool, or raises ConfigurationError."""


def check(method: str, context: Context, *, drafting: bool, searching: bool = True) -> list[Any]:
    """Raise ConfigurationError now for settings that could not work later. Returns the tools that they select."""
    check_limits(context)
    check_backends(context, tasks(method, context, drafting=drafting))
    kinds = tools(method, context, drafting=drafting)
    if "search" in kinds and searching:
        _check_paragraphs(method, context)
    return [MAKERS[kind](context) for kind in kinds if searching or kind != "search"]


def _check_paragraphs(method: str, context: Context) -> None:
    """Raise ConfigurationError for a search in paragraphs that a method's input can't hold."""
    fields = load(method).builder.input_schema.__annotations__
    if context.search == "dataset" and fields.keys().isdisjoint(("paragraphs", "references")):
        raise ConfigurationError(
            f"`{method}` takes no paragraphs with its input, so the `dataset` search has nothing to search: "
            "choose another search, or give the texts as --sources"
        )


def check_named(method: str, context: Context) -> None:
    """Raise ConfigurationError for a network that was named for tasks none of which is asked for with these settings.

    What was chosen for good is there for all runs, and is left alone.
    """
    used = tasks(method, context, drafting=False)
    uses: dict[str, set[str]] = {}
    for each in BACKENDS.values():
        for name, field in each.settings.items() if each.is_selected_by_name else ():
            uses.setdefault(field, set()).add(name)
    for field, names in uses.items():
        network = getattr(context, field)
        if network and network != chosen().get(field) and names.isdisjoint(used):
            raise ConfigurationError(f"`{field}` goes with --method purr or --set editor=fused; it has no effect here")


@contextmanager
def _ctrl_c_at_once() -> Iterator[None]:
    """Make Ctrl-C end a question to the person. The event loop, which would handle it, is waiting itself."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    previous = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, previous)


def _result(graph: Any, values: Mapping[str, Any]) -> Result:
    """The fields of the result in a state, which holds more."""
    return cast("Result", {name: values[name] for name in graph.output_channels})
