"""errata checks what a language model said, with tools, and corrects it. The methods are in `errata.graphs`."""

from importlib.metadata import version
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .state import Context, Edit, Evidence, Result, Verdict

__all__ = ["Context", "Edit", "Evidence", "Result", "Verdict", "__version__"]

__version__ = version("errata")


def __getattr__(name: str) -> Any:
    """What state/ holds, imported when it is asked for: the command line can be ended before that takes its time."""
    if name in __all__:
        from . import state

        return getattr(state, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
