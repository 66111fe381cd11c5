"""The methods: state, nodes, edges and gates of one method per file. Import the one you need:

from errata.graphs import rarr
rarr.graph.invoke({"text": "..."})
"""

from importlib import import_module
from typing import Any

from ..state.errors import ConfigurationError

METHODS: dict[str, str] = {
    "rarr": "Research and revise: ask about each claim, find evidence, edit what it contradicts (arXiv 2210.08726).",
    "refchecker": "Take a response apart into claims; check each against references (arXiv 2405.14486).",
    "critic_program": "CRITIC on programs: write one, run it, critique it, write a better one (arXiv 2305.11738).",
    "critic_toxicity": "CRITIC on texts: score how toxic it is, rewrite it until it is clean (arXiv 2305.11738).",
}
"""Name of each graph and a line on what it does. A graph is loaded when it is asked for: that takes a second."""


def load(name: str) -> Any:
    """The compiled graph of a method. Raises ConfigurationError for an unknown name."""
    return _module(name).graph


def build(name: str) -> Any:
    """The uncompiled graph of a method, to compile with a checkpointer. Raises as `load` does."""
    return _module(name).build()


def tasks(name: str, *, drafting: bool, correcting: bool = True) -> tuple[str, ...]:
    """The tasks that a method carries out, with or without writing a draft first, and corrections afterwards."""
    module = _module(name)
    draft = (module.DRAFT,) if drafting else ()
    correction = (module.CORRECTION,) if correcting and module.CORRECTION else ()
    return (*draft, *module.TASKS, *correction)


def tools(name: str) -> tuple[str, ...]:
    """The kinds of tools that a method uses: `search`, `python`, `toxicity`."""
    kinds: tuple[str, ...] = _module(name).TOOLS
    return kinds


def check_method(name: str) -> None:
    """Raise ConfigurationError for an unknown method, without loading a known one."""
    if name not in METHODS:
        raise ConfigurationError(f"there is no method `{name}`: use {', '.join(METHODS)}")


def _module(name: str) -> Any:
    check_method(name)
    return import_module(f".{name}", __name__)
