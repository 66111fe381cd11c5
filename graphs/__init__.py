"""The methods: state, nodes, edges and gates of one method per file. Import the one you need:

from errata.graphs import rarr
rarr.graph.invoke({"text": "..."})
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from ..state.errors import ConfigurationError

if TYPE_CHECKING:
    from ..state import Context

METHODS: dict[str, str] = {
    "rarr": "Research and revise: ask about each claim, find evidence, edit what it contradicts (arXiv 2210.08726).",
    "purr": "RARR with one fused edit over all evidence, by a small model (arXiv 2305.14908).",
    "critic_qa": "CRITIC on answers: critique with searches, answer anew until it stands (arXiv 2305.11738).",
    "critic_program": "CRITIC on programs: write one, run it, critique it, write a better one (arXiv 2305.11738).",
    "critic_toxicity": "CRITIC on texts: score how toxic it is, rewrite it until it is clean (arXiv 2305.11738).",
    "critic": "CRITIC with tools of its own choice: search, Python and a toxicity scorer in one loop.",
    "verify_and_edit": "Verify-and-Edit: check a chain of thought the samples disagree on (arXiv 2305.03268).",
    "refchecker": "Take a response apart into claims; check each against references (arXiv 2405.14486).",
    "llm_augmenter": "LLM-Augmenter: respond to a message from consolidated evidence, score it, try again "
    "(arXiv 2302.12813).",
    "direct": "Baseline: answer at once.",
    "cot": "Baseline: answer with a chain of thought (arXiv 2201.11903).",
    "self_consistency": "Baseline: sample chains of thought and take the majority's answer (arXiv 2203.11171).",
    "react": "Baseline: think and search by turns, then answer (arXiv 2210.03629).",
    "program_of_thought": "Baseline: write a program and run it (arXiv 2211.12588).",
    "continuation": "Baseline: go on with a text.",
    "rejection_sampling": "Evaluation only: of several answers the one that is nearest to the right one.",
}
"""Name of each graph and a line on what it does. A graph is loaded when it is asked for: that takes a second."""

DRAFTED = ("rarr", "purr", "critic_qa", "critic", "refchecker")
"""Methods that begin with an answer drafted as `Context.draft` says. The others have a way of their own."""

CRITICS = ("critic_qa", "critic_program", "critic_toxicity", "critic")
"""Methods whose critic can do without its tools (`Context.use_tools`)."""
REVIEWED = ("rarr", "purr", "verify_and_edit", *CRITICS)
"""Methods that propose edits, for a person to decide on (`Context.review`)."""
KNOWING = ("critic_qa", "critic_program", "critic")
"""Methods in which right answers, where they are given (`gold`), decide when to correct."""


def load(name: str) -> Any:
    """The compiled graph of a method. Raises ConfigurationError for an unknown name."""
    return _module(name).graph


def build(name: str) -> Any:
    """The uncompiled graph of a method, to compile with a checkpointer. Raises as `load` does."""
    return _module(name).build()


def tasks(name: str, context: "Context", *, drafting: bool) -> tuple[str, ...]:
    """The tasks that a method carries out, with or without writing a draft first."""
    module = _module("purr" if name == "rarr" and context.editor == "fused" else name)
    draft = _module(_draft(name, context)).TASKS if drafting and module.DRAFT else ()
    correction = (module.CORRECTION,) if module.CORRECTION and context.rounds != 0 else ()
    return (*draft, *module.TASKS, *correction)


def tools(name: str, context: "Context", *, drafting: bool) -> tuple[str, ...]:
    """The kinds of tools that a method uses: `search`, `python`, `toxicity`."""
    module = _module(name)
    draft = _module(_draft(name, context)).TOOLS if drafting and module.DRAFT else ()
    return tuple(dict.fromkeys((*draft, *module.TOOLS)))


def _draft(name: str, context: "Context") -> str:
    """The graph whose draft a method begins with."""
    own: str = _module(name).DRAFT
    return context.draft_or(own) if name in DRAFTED else own


def check_method(name: str) -> None:
    """Raise ConfigurationError for an unknown method, without loading a known one."""
    if name not in METHODS:
        raise ConfigurationError(f"there is no method `{name}`: use {', '.join(METHODS)}")


def check_draft(name: str, context: "Context") -> None:
    """Raise ConfigurationError for a `draft` that the method would not make."""
    if context.draft and name not in DRAFTED:
        raise ConfigurationError(f"`{name}` makes no draft by `{context.draft}`: that goes with {', '.join(DRAFTED)}")


def _module(name: str) -> Any:
    check_method(name)
    return import_module(f".{name}", __name__)
