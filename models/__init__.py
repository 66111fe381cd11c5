"""Who thinks. `task(context, name)` returns what carries out a task, in the backend that the Context selects."""

import asyncio
from collections.abc import Awaitable, Callable, Iterable
from typing import Any

from langchain_core.runnables import Runnable, RunnableConfig
from pydantic import BaseModel, ValidationError

from ..state import EMBEDDED, Context
from ..state.errors import ConfigurationError, ErrataError, ModelError
from ..state.traces import traced
from .networks import NEEDS, check_network
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
    "CONCLUDE",
    "NAMED",
    "SMALL",
    "TASKS",
    "Agreement",
    "Answered",
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
    "backend_name",
    "check_backends",
    "check_names",
    "model_name",
    "task",
]

Think = Callable[[dict[str, Any]], Awaitable[Any]]

BACKENDS: dict[str, tuple[str, ...]] = {
    "draft": ("chat",),
    "cot": ("chat",),
    "samples": ("chat",),
    "chains": ("chat",),
    "claim_chains": ("chat",),
    "verifying_question": ("chat", "rules"),
    "verifying_answer": ("chat", "rules"),
    "final_answer": ("chat", "rules"),
    "claim_answer": ("chat", "rules"),
    "react": ("chat", "rules"),
    "qa_critique": ("chat", "rules"),
    "critique": ("chat", "rules"),
    "queries": ("chat", "seq2seq", "rules"),
    "rank": ("rules", "cross_encoder"),
    "agreement": ("chat", "rules"),
    "edit": ("chat", "rules"),
    "edit_all": ("chat", "seq2seq", "rules"),
    "summarise": ("chat", "rules"),
    "corrupt": ("chat", "rules"),
    "program": ("chat",),
    "program_critique": ("chat", "rules"),
    "program_correction": ("chat",),
    "continuation": ("chat",),
    "toxicity_critique": ("chat", "rules"),
    "rewrite": ("chat", "rules"),
    "extract": ("chat", "rules"),
    "extract_subsentences": ("chat", "rules"),
    "check": ("chat", "rules", "nli"),
    "policy": ("chat",),
    "search_queries": ("chat", "rules"),
    "entities": ("rules",),
    "chain": ("chat", "rules"),
    "respond": ("chat", "rules"),
    "utility": ("chat", "rules"),
    "feedback": ("rules",),
    "self_criticism": ("chat",),
}
"""The backends that each task comes in. The first is the one that a chat model other than the embedded turns it to."""

SMALL = frozenset({"rules", "cross_encoder", "nli", "seq2seq"})
"""Makes that are no language models: they cost no model call, and read a passage at a time."""


WRITTEN = frozenset({"respond"})
"""Tasks that the embedded model carries out although rules could: a first answer is a model's."""


NAMED = {"edit_all": "editor_model", "queries": "question_model"}
"""Fields of the Context that name the encoder-decoder of a task. Naming one selects it."""


def backend_name(context: Context, name: str) -> str:
    """The backend that carries out a task: as the Context says, or else by its model.

    The embedded model drafts and is useless as a judge, so with it every other task that can be rules is. A small
    model that is named for the task goes before both.

    Raises ConfigurationError for a backend that the task does not come in.
    """
    chosen = context.backends.get(name)
    if chosen is None:
        backends = BACKENDS[name]
        if name in NAMED and getattr(context, NAMED[name]):
            return "seq2seq"
        by_rules = context.model == EMBEDDED and "rules" in backends and name not in WRITTEN
        return "rules" if by_rules else backends[0]
    if not isinstance(chosen, str):
        return getattr(chosen, "name", None) or type(chosen).__name__
    if chosen not in BACKENDS[name]:
        raise ConfigurationError(f"`{name}` has no backend `{chosen}`: use {' or '.join(BACKENDS[name])}")
    return chosen


def check_backends(context: Context, tasks: Iterable[str]) -> None:
    """Raise ConfigurationError for an unknown task or backend, or a model that cannot be had.

    tasks
        What the run is to carry out: a chat model that none of these needs is not looked at.
    """
    check_names(context)
    backends = {name: backend_name(context, name) for name in tasks}
    if "chat" in backends.values() or context.base_url:
        check_model(context)
    for name, backend in backends.items():
        if backend in NEEDS and context.backends.get(name) in (None, backend):
            setting = NAMED[name] if backend == "seq2seq" else backend
            check_network(backend, getattr(context, setting), setting)


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
    backend = backend_name(context, name)
    chosen = context.backends.get(name)
    ours = chosen is None or isinstance(chosen, str)
    return TaskModel(definition, backend, _ours(context, definition, backend) if ours else _of_caller(chosen))


class TaskModel(Runnable[dict[str, Any], Any]):
    """What carries out a task, in one of its backends. Asynchronous, like all that waits for models."""

    def __init__(self, definition: Task, backend: str, think: Think) -> None:
        self.definition = definition
        self.backend = backend
        self.think = think
        self.name = f"{definition.name} ({backend})"

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
        if self.backend == "chat":
            from . import chat

            try:
                return await chat.several(context, self.definition, task_input, n)
            except ModelError as error:
                return [error]
        times = 1 if self.backend in SMALL else n
        came = await asyncio.gather(*(self.ainvoke(task_input) for _ in range(times)), return_exceptions=True)
        if wrong := next(
            (one for one in came if isinstance(one, BaseException) and not isinstance(one, ModelError)), None
        ):
            raise wrong
        return list(came)


def _ours(context: Context, definition: Task, backend: str) -> Think:
    # Imported here: no run needs all backends, and each has packages of its own to load.
    if backend == "chat":
        from . import chat

        carry_out = chat.sample if definition.output is Samples else chat.think
        return lambda task_input: carry_out(context, definition, task_input)
    if backend == "cross_encoder":
        from . import cross_encoder

        return lambda task_input: cross_encoder.rank(context, task_input)
    if backend == "nli":
        from . import nli

        return lambda task_input: nli.check(context, task_input)
    if backend == "seq2seq":
        from . import seq2seq

        generate = getattr(seq2seq, definition.name)
        return lambda task_input: generate(getattr(context, NAMED[definition.name]), task_input)
    from . import rules

    rule = getattr(rules, definition.name)
    return lambda task_input: asyncio.to_thread(rule, task_input)


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
