"""The methods: state, nodes, edges and gates of one method per file, and the baselines in one.

Import the one you need:

from errata.graphs import rarr
rarr.graph.invoke({"text": "..."})
"""

from collections.abc import Iterator, Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Any

from ..state.errors import ConfigurationError, nearest

if TYPE_CHECKING:
    from ..state import Context
    from .method import Method

_NAMES = (
    "ground",
    "rarr",
    "purr",
    "critic_qa",
    "critic_program",
    "critic_toxicity",
    "critic",
    "verify_and_edit",
    "refchecker",
    "llm_augmenter",
)
_BASELINES = (
    "direct",
    "few_shot",
    "cot",
    "self_consistency",
    "react",
    "program_of_thought",
    "continuation",
    "rejection_sampling",
    "rejection_sampling_program",
)


class _Methods(Mapping[str, "Method"]):
    """The methods by name. A method is imported on first access, which takes a second."""

    def __getitem__(self, name: str) -> "Method":
        if name not in self:
            raise KeyError(name)
        record: Method = _module(name).METHODS[name] if name in _BASELINES else _module(name).METHOD
        return record

    def __contains__(self, name: object) -> bool:
        return name in _NAMES or name in _BASELINES

    def __iter__(self) -> Iterator[str]:
        return iter((*_NAMES, *_BASELINES))

    def __len__(self) -> int:
        return len(_NAMES) + len(_BASELINES)


METHODS: Mapping[str, "Method"] = _Methods()
"""The record of each method, by name. A record is imported on first access."""


def load(name: str) -> Any:
    """The compiled graph of a method.

    Args:
        name: The method's name.

    Returns:
        The graph, without checkpointer or store.

    Raises:
        ConfigurationError: For an unknown name.
    """
    return getattr(_module(name), name if name in _BASELINES else "graph")


def build(name: str) -> Any:
    """The uncompiled graph of a method, to compile with a checkpointer.

    Args:
        name: The method's name.

    Returns:
        The `StateGraph`.

    Raises:
        ConfigurationError: For an unknown name.
    """
    return _module(name).build(name) if name in _BASELINES else _module(name).build()


def tasks(name: str, context: "Context", *, drafting: bool) -> tuple[str, ...]:
    """The tasks that a method needs with these settings.

    Args:
        name: The method's name.
        context: The settings.
        drafting: Whether the run has to write a draft first.

    Returns:
        The names of the tasks.
    """
    method = METHODS[name]
    draft = [task for baseline in _draft(method, context) for tasks in baseline.tasks.values() for task in tasks]
    of_method = [task for node, tasks in method.tasks.items() if drafting or node != method.drafting for task in tasks]
    unasked = method.unasked(context)
    return tuple(dict.fromkeys([*(draft if drafting else ()), *(task for task in of_method if task not in unasked)]))


def tools(name: str, context: "Context", *, drafting: bool) -> tuple[str, ...]:
    """The kinds of tools that a method uses: `search`, `python`, `toxicity`. Arguments as in `tasks`."""
    method = METHODS[name]
    draft = (tool for each in _draft(method, context) for tool in each.tools)
    return tuple(dict.fromkeys((*(draft if drafting else ()), *method.tools)))


def inputs(name: str) -> frozenset[str]:
    """The input fields of a method."""
    return frozenset(load(name).builder.input_schema.__annotations__)


def reading(setting: str) -> list[str]:
    """The methods that read a setting."""
    return [name for name, method in METHODS.items() if setting in method.reads]


def default_method(given_references: bool) -> str:
    """The method that corrects a text if the caller has not chosen one.

    Args:
        given_references: Whether the texts to compare it with are given; otherwise evidence is searched for.

    Returns:
        The name of the method.
    """
    return "ground" if given_references else "rarr"


def check_method(name: str) -> None:
    """Raise ConfigurationError for an unknown method, without loading a known one."""
    if name not in METHODS:
        raise ConfigurationError(
            f"there is no method `{name}`: {nearest(name, METHODS, '`errata methods` lists them')}"
        )


def _draft(method: "Method", context: "Context") -> list["Method"]:
    """The method whose draft this method starts from, if any."""
    if not method.draft:
        return []
    if "draft" not in method.reads:
        return [METHODS[method.draft]]
    looks_up = "use_tools" not in method.reads or context.use_tools
    return [METHODS[context.draft_or(method.draft, looks_up=looks_up)]]


def _module(name: str) -> Any:
    check_method(name)
    return import_module(f".{'baselines' if name in _BASELINES else name}", __name__)
