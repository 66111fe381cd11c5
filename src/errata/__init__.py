"""errata checks the output of language models with tools and corrects it.

    import errata

    print(errata.correct("The Eiffel Tower was completed in 1899."))

The methods, as LangGraph graphs, are in `errata.graphs`.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .apps.agents.agent import as_agent
    from .apps.agents.middleware import CorrectFinalAnswer
    from .apps.agents.tool import as_tool
    from .apps.facade import aask, achat, acheck, acorrect, ask, chat, check, correct
    from .apps.result import Result
    from .state import Context, Edit, Evidence, Verdict

    __version__: str

__all__ = [
    "Context", "CorrectFinalAnswer", "Edit", "Evidence", "Result", "Verdict", "__version__", "aask", "achat", "acheck",
    "acorrect", "as_agent", "as_tool", "ask", "chat", "check", "correct",
]  # fmt: skip

_HOMES = {
    "Context": "state", "Edit": "state", "Evidence": "state", "Verdict": "state",
    "CorrectFinalAnswer": "apps.agents.middleware", "Result": "apps.result", "as_agent": "apps.agents.agent",
    "as_tool": "apps.agents.tool",
}  # fmt: skip
"""The modules of the names that are not in `apps.facade`."""


def __getattr__(name: str) -> Any:
    """Import a name on first access, so that the command line starts fast and can be interrupted."""
    if name == "__version__":
        from importlib.metadata import version

        return version("errata")
    if name in __all__:
        return getattr(import_module(f".{_HOMES.get(name, 'apps.facade')}", __name__), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
