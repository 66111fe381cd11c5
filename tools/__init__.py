"""Access to the outside world: searches and page fetches, as LangChain tools.

Modules are imported on first access, so that a run loads only its own tools.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from .selection import SEARCHES, interpreter, scorer, search_tool

if TYPE_CHECKING:
    from .pages import Page, WebPage, fetch_page
    from .search import SearchError, SearchTool, evidence

__all__ = [
    "SEARCHES", "Page", "SearchError", "SearchTool", "WebPage", "evidence", "fetch_page", "interpreter", "scorer",
    "search_tool",
]  # fmt: skip

_HOMES = {
    "Page": ".pages",
    "SearchError": ".search",
    "SearchTool": ".search",
    "WebPage": ".pages",
    "evidence": ".search",
    "fetch_page": ".pages",
}


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(import_module(_HOMES[name], __name__), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
