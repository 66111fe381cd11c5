"""errata checks what a language model said, with tools, and corrects it. The methods are in `errata.graphs`."""

from importlib.metadata import version

from .state import Context, Edit, Evidence, Result, Verdict

__all__ = ["Context", "Edit", "Evidence", "Result", "Verdict", "__version__"]

__version__ = version("errata")
