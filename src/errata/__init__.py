"""errata checks what a language model said, with tools, and corrects it. The methods are in `errata.graphs`."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .state import Context, Edit, Evidence, Result, Verdict

    __version__: str

__all__ = ["Context", "Edit", "Evidence", "Result", "Verdict", "__version__"]


def __getattr__(name: str) -> Any:
    """Imported when it is asked for, so that the command line can be ended before that takes its time."""
    if name == "__version__":
        from importlib.metadata import version

        return version("errata")
    if name in __all__:
        from . import state

        return getattr(state, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
