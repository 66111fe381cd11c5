"""The backends: what can do a task, and what follows from that for a run.

Code that depends on the backend asks its record; nothing compares names.
"""

import importlib.util
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache, partial
from importlib import import_module
from typing import Any

from ..prompts import prompted
from ..state import Context, embedded_name
from ..state.errors import ConfigurationError
from ..state.parts import runnable
from ..state.runs.apart import apart
from .providers import embedded
from .tasks.task import Task

Think = Callable[[Any], Awaitable[Any]]
Load = Callable[[Context, Task[Any, Any]], Think]


@dataclass(frozen=True)
class Backend:
    """Something that does tasks. The defaults describe a language model, or a caller's Runnable."""

    name: str
    load: Load
    """Makes the function that does a task. Imported on demand: no run needs all backends, and each has its own
    packages.
    """
    can: Callable[[Task[Any, Any]], bool] = lambda _: False
    """Whether it can do a task."""
    packages: tuple[str, ...] = ()
    extra: str = ""
    """The extra that its packages are in."""
    settings: Mapping[str, str] = field(default_factory=dict)
    """The Context's field that names the network for a task."""
    is_selected_by_name: bool = False
    """Whether naming a network selects the backend."""
    costs_calls: bool = True
    """Whether it calls a language model, which `max_calls` limits."""
    reads_pages: bool = True
    """Whether it can be shown a whole page; otherwise it is shown short passages."""
    reads_tokens: bool = True
    """Whether its input may contain its own control tokens, as in a chat template."""
    varies: bool = True
    """Whether it may return something else when it is asked again."""
    knows: bool = True
    """Whether it knows anything beyond its input."""
    bears_out: bool = True
    """Whether finding no fault with a text supports the text."""

    ready: Callable[[Context], object] = lambda _: None
    """Raises ConfigurationError if something else that it needs is missing."""

    def check(self, context: Context, task_name: str) -> None:
        """Check that it can do a task.

        Raises:
            ConfigurationError: If no network is named for the task, or a package is missing.
        """
        if task_name in self.settings:
            setting = self.settings[task_name]
            self.check_network(getattr(context, setting), setting)
            self.ready(context)

    def check_network(self, name_of_network: str | None, setting: str) -> None:
        """Check that there is a network and what runs it.

        Args:
            name_of_network: The folder or id of the network.
            setting: The setting that names it.

        Raises:
            ConfigurationError: If none is named, or a package is missing.
        """
        if not name_of_network:
            raise ConfigurationError(f"name a folder or an id in `{setting}` for the {self.name} backend")
        if not all(importlib.util.find_spec(package) for package in self.packages):
            raise ConfigurationError(
                f"the {self.name} backend needs {' and '.join(self.packages)}: run `pip install 'errata[{self.extra}]'`"
            )


_small = partial(Backend, costs_calls=False, reads_pages=False, varies=False, knows=False)
"""Something other than a language model: it costs nothing, and always returns the same for the same input."""


def _chat(context: Context, task: Task[Any, Any]) -> Think:
    from . import chat

    return lambda task_input: chat.carry_out(context, task, task_input)


def _by_rule(_: Context, task: Task[Any, Any]) -> Think:
    rule = getattr(import_module(".rules", __package__), task.name)

    async def think(task_input: Any) -> Any:
        return await apart(lambda: rule(task_input), task_input)

    return think


def _has_rule(task: Task[Any, Any]) -> bool:
    return task.name in import_module(".rules", __package__).__all__


def _has_prompt(task: Task[Any, Any]) -> bool:
    return (task.prompt or task.name) in prompted()


def _judge(context: Context, task: Task[Any, Any]) -> Think:
    NLI.check(context, task.name)
    carry_out = getattr(import_module(".judges", __package__), task.name)
    return lambda task_input: carry_out(context.nli, context.nli_labels, task_input)


def _judge_is_there(context: Context) -> None:
    """What a judge needs depends on the content of its folder."""
    import_module(".judges", __package__).check_settings(context.nli, context.nli_labels)


def _network(
    name: str, settings: Mapping[str, str], packages: tuple[str, ...], extra: str, is_selected_by_name: bool = False
) -> Backend:
    """A small local network, in the module of its name, which has a function for each task."""

    def load(context: Context, task: Task[Any, Any]) -> Think:
        network.check(context, task.name)
        carry_out = getattr(import_module(f".networks.{name}", __package__), task.name)
        model_name = getattr(context, settings[task.name])
        return lambda task_input: carry_out(model_name, task_input)

    def can(task: Task[Any, Any]) -> bool:
        return task.name in settings

    network = _small(name, load, can, packages, extra, settings, is_selected_by_name)
    return network


JUDGED = {"check": "nli", "agreement": "nli"}
CHAT = Backend("chat", _chat, _has_prompt)
RULES = _small("rules", _by_rule, _has_rule, bears_out=False, reads_tokens=False)
CROSS_ENCODER = _network("cross_encoder", {"rank": "cross_encoder"}, ("sentence_transformers",), "rank")
NLI = _small(
    "nli", _judge, lambda task: task.name in JUDGED, settings=JUDGED, is_selected_by_name=True, ready=_judge_is_there
)
SEQ2SEQ = _network(
    "seq2seq",
    {"edit_all": "editor_model", "queries": "question_model"},
    ("torch", "transformers"),
    "seq2seq",
    is_selected_by_name=True,
)
LEARNED = _network("learned", {"policy": "policy_file"}, (), "", is_selected_by_name=True)
BACKENDS = {backend.name: backend for backend in (CHAT, RULES, CROSS_ENCODER, NLI, SEQ2SEQ, LEARNED)}
"""By name. Of the backends that can do a task, a run with a chat model uses the first."""


@lru_cache(maxsize=200)
def _able(task: Task[Any, Any]) -> Mapping[str, Backend]:
    """The backends that can do a task. A run asks some fifty times."""
    return {name: backend for name, backend in BACKENDS.items() if backend.can(task)}


def choose(context: Context, task: Task[Any, Any]) -> Backend:
    """The backend for a task: the one that the Context names, or otherwise the one that goes with its model.

    A small network that is named for the task goes first. An embedded model writes and is useless as a judge, so with
    it rules do what they can, but for the text that a person waits for. If it is large enough, it also does what models
    of its size were seen to do better than rules.

    Raises:
        ConfigurationError: If the Context names a backend that cannot do the task.
    """
    chosen = context.backends.get(task.name)
    able = _able(task)
    if chosen is None:
        for backend in able.values():
            if backend.is_selected_by_name and getattr(context, backend.settings[task.name]):
                return backend
        name = embedded_name(context.model)
        writes = name is None or task.streams or (task.suits_small and embedded.is_able(name))
        return next(iter(able.values())) if writes or "rules" not in able else able["rules"]
    if not isinstance(chosen, str):
        does = runnable(chosen)
        return Backend(getattr(does, "name", None) or type(does).__name__, lambda _, __: does.ainvoke)
    if chosen not in able:
        raise ConfigurationError(f"`{task.name}` has no backend `{chosen}`: use {' or '.join(able)}")
    return able[chosen]
