"""The choice of tools for a run: names in a table, or objects that the caller supplies."""

from collections.abc import Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Any

from ..state.errors import ConfigurationError

if TYPE_CHECKING:
    from ..state import Context
    from .python import PythonTool
    from .search import SearchTool
    from .toxicity import ToxicityTool


def search_tool(context: "Context", paragraphs: Sequence[str] = ()) -> "SearchTool":
    """Make the search that the Context selects.

    It may read a folder of documents, so call it through `asyncio.to_thread` in an event
    loop. An existing index is reused.

    Args:
        context: The settings of the run.
        paragraphs: What `dataset` searches; other searches ignore them.

    Raises:
        ConfigurationError: If the settings cannot work (an unknown name, a missing key, contact, address or folder, a
            folder without a readable document), before anything is searched.
    """
    chosen: Any = context.search
    searches: Sequence[Any] = chosen.split("+") if isinstance(chosen, str) else chosen
    if not isinstance(searches, list | tuple):
        searches = [searches]
    if not searches:
        raise ConfigurationError(
            f"no search: choose one of {', '.join(SEARCHES)}; `errata doctor` says which are set up"
        )
    made = [_search(each.strip() if isinstance(each, str) else each, context, paragraphs) for each in searches]
    if len(made) == 1:
        return made[0]
    from .searches.fused import FusedSearch

    return FusedSearch.of(made, context)


def _search(search: Any, context: "Context", paragraphs: Sequence[str]) -> "SearchTool":
    if not isinstance(search, str):
        from .searches.adapters import adapt

        return adapt(search, context)
    if search not in SEARCHES:
        raise ConfigurationError(f"unknown search {search!r}: choose one of {', '.join(SEARCHES)}")
    if search == "dataset":
        from .searches.dataset import DatasetSearch

        return DatasetSearch(paragraphs=tuple(paragraphs))
    module, name = _HOMES[search]
    tool: SearchTool = getattr(import_module(module, __package__), name).of(context)
    return tool


def interpreter(context: "Context") -> "PythonTool":
    """Make the tool that runs programs in a run.

    Raises:
        ConfigurationError: If the settings cannot work.
    """
    from .python import python_tool

    return python_tool(
        context.python,
        allow_cpython=context.allow_cpython,
        seconds=context.program_seconds,
        memory_mb=context.program_memory_mb,
    )


def scorer(context: "Context") -> "ToxicityTool":
    """Make the tool that scores toxicity in a run.

    Raises:
        ConfigurationError: If the settings cannot work.
    """
    from .toxicity import toxicity_tool

    chosen: Any = context.toxicity
    return toxicity_tool(chosen, timeout=context.timeout, retries=context.retries, cache=context.cache)


_HOMES = {
    "local": (".searches.local", "LocalSearch"),
    "drqa": (".searches.drqa", "DrqaSearch"),
    "tavily": (".searches.tavily", "TavilySearch"),
    "google": (".searches.google", "GoogleSearch"),
    "brave": (".community.brave", "BraveSearch"),
    "duckduckgo": (".community.duckduckgo", "DuckDuckGoSearch"),
    "wikipedia": (".searches.wikipedia", "WikipediaSearch"),
    "searxng": (".searches.searxng", "SearxngSearch"),
    "arxiv": (".community.arxiv", "ArxivSearch"),
    "pubmed": (".community.pubmed", "PubMedSearch"),
}
"""The module and class of each search; its `of` makes it from a Context."""

SEARCHES: dict[str, str] = {
    "local": "A folder of your documents, or the small corpus that ships; needs nothing.",
    "drqa": "The same documents by TF-IDF over pairs of words, as in DrQA.",
    "dataset": "The paragraphs that come with a question (`verify_and_edit`); needs nothing else.",
    "tavily": "The web through Tavily; needs a key in TAVILY_API_KEY.",
    "google": "The web through Google, by serper.dev; needs a key in SERPER_API_KEY.",
    "brave": "The web through Brave; needs a key in BRAVE_SEARCH_API_KEY.",
    "duckduckgo": "The web through DuckDuckGo; needs the extra `duckduckgo`.",
    "wikipedia": "Wikipedia's articles; needs a contact in ERRATA_CONTACT (your e-mail or web address).",
    "searxng": "The web through a SearXNG instance that answers in JSON; needs its address in ERRATA_SEARXNG_URL.",
    "arxiv": "Abstracts of arXiv's papers; needs the extra `arxiv`.",
    "pubmed": "Abstracts of PubMed's medical articles; needs the extra `pubmed`, and takes a key in NCBI_API_KEY.",
}
"""What each search is and what it needs."""
