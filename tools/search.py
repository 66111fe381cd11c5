"""The base class of all searches: a LangChain tool outside, `await tool.search(query, limit)` inside."""

import asyncio
import contextvars
import hashlib
import json
import re
from abc import abstractmethod
from collections.abc import Coroutine
from concurrent.futures import ThreadPoolExecutor
from typing import Any, ClassVar, Literal, TypeVar

from langchain_core.tools import BaseTool
from langchain_core.tools.base import ArgsSchema
from pydantic import BaseModel, Field

from ..state import Evidence
from ..state.errors import ConfigurationError, ToolError
from ..state.runs.cache import remembered
from ..state.runs.meter import spend
from ..state.runs.secrets import redacted
from ..state.runs.traces import traced

T = TypeVar("T")

MAX_QUERY = 400
"""The most characters of a query that are sent: Tavily's limit, and about that of most search engines."""
MAX_TEXT = 50_000
MAX_TITLE = 300
MAX_SOURCE = 2_000
"""Limits in characters on what an unknown page can put into a state that is checkpointed and shown."""

READ = 10
"""How many times as much of a text is read to find what is kept of it, since some of it may be invisible."""

# Controls other than newline and tab, marks that reorder what a reader sees, invisible "tag" letters that only a model
# reads, and lone surrogates, which cannot be encoded.
_UNSEEN = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ufeff\U000e0000-\U000e007f\ud800-\udfff]")
_LINE_ENDS = re.compile("\r\n?|[\u2028\u2029\x0b\x0c\x85]")


class SearchError(ToolError):
    """A search is down, refuses, or takes too long. Never raised for a search that found nothing."""


class Query(BaseModel):
    """The input of a search when an agent calls it."""

    query: str = Field(description="What to look for: a question or keywords.")


class SearchTool(BaseTool):
    """A search for evidence.

    Graphs call `search`; as a LangChain tool it returns readable text, with the list of Evidence as the artifact.
    A new search subclasses this and implements `_find`.
    """

    args_schema: ArgsSchema | None = Query
    response_format: Literal["content", "content_and_artifact"] = "content_and_artifact"
    whole_pages: ClassVar[bool] = True
    """Whether results carry the text of the page, or only a snippet, so that the page has to be fetched."""

    limit: int = 5
    """How many results an agent that calls the tool gets."""
    timeout: float = 60.0
    """Seconds until a search is abandoned, including retries."""
    keep: bool = False
    """Whether results are cached on disk for a day."""

    async def search(self, query: str, limit: int) -> list[Evidence]:
        """Find at most `limit` pages for a query, best first; an empty list if there are none.

        The same search requested several times at once is run once.

        Raises:
            SearchError: If the search failed.
        """
        query = one_line(query, MAX_QUERY)
        if not query or limit < 1:
            return []
        key = hashlib.sha256(json.dumps([self.name, self.settings(), query, limit]).encode()).hexdigest()

        async def look() -> list[Evidence]:
            return await remembered(key, lambda: self._carry_out(query, limit), on_disk=self.keep)

        results = await traced(f"search: {self.name}", query, look)
        return [{**item} for item in results]

    @abstractmethod
    async def _find(self, query: str, limit: int) -> list[Evidence]:
        """Run one search. Any exception becomes a SearchError."""

    def settings(self) -> dict[str, Any]:
        """What results depend on besides query and limit, JSON-like and without secrets."""
        return {}

    async def _carry_out(self, query: str, limit: int) -> list[Evidence]:
        try:
            async with asyncio.timeout(self.timeout):
                results = await self._find(query, limit)
        except (ToolError, ConfigurationError):
            raise
        except TimeoutError as error:
            raise SearchError(
                f"{self.name} gave no answer within {self.timeout:g} s: try again later, or allow a longer timeout"
            ) from error
        except Exception as error:
            if _is_interrupt(error):
                raise
            raise SearchError(f"{self.name} failed: {describe(error)}") from error
        spend(searches=1)
        return results[:limit]

    async def _arun(self, query: str) -> tuple[str, list[Evidence]]:
        results = await self.search(query, self.limit)
        return _readable(results), results

    def _run(self, query: str) -> tuple[str, list[Evidence]]:
        return run(self._arun(query))


def evidence(
    *, query: str, text: str, title: str = "", source: str = "", score: float = 0.0, run: bool = False
) -> Evidence:
    """Make a record of a piece of evidence.

    Text from outside is hostile input: its length is limited, and invisible characters are removed.

    Args:
        query: What was searched for, or given to another tool.
        text: What was found.
        title: The title of the page.
        source: The address or path of the page.
        score: How well it fits the query.
        run: Whether a tool was run on `query`, so that the same words for another query are different evidence.
    """
    text = cut(text, MAX_TEXT)
    source = one_line(source, MAX_SOURCE)
    title = one_line(title, MAX_TITLE)
    content = [title, " ".join(text.split()), *([query] if run else [])]
    digest = hashlib.sha256(json.dumps(content).encode()).hexdigest()
    return {
        "id": digest[:12],
        "query": query,
        "text": text,
        "title": title,
        "source": source,
        "score": float(score),
    }


def clean(text: str) -> str:
    """Remove what a reader cannot see; every line ends with a newline character."""
    return _UNSEEN.sub("", _LINE_ENDS.sub("\n", text))


def cut(text: str, size: int) -> str:
    """At most `size` characters of a text of any length, cleaned."""
    return clean(text[: READ * size])[:size].strip()


def one_line(text: str, size: int) -> str:
    """The text on a single line of at most `size` characters, however long it is."""
    return " ".join(clean(text[: READ * size]).split())[:size].rstrip()


def describe(error: BaseException) -> str:
    """An exception in one line."""
    return one_line(redacted(f"{type(error).__name__}: {error}".rstrip(": ")), 300)


def run(coroutine: Coroutine[Any, Any, T]) -> T:
    """Run a tool's coroutine synchronously, with or without a running event loop, keeping context variables."""
    with ThreadPoolExecutor(max_workers=1) as thread:
        return thread.submit(contextvars.copy_context().run, asyncio.run, coroutine).result()


def _readable(results: list[Evidence]) -> str:
    parts = [f"[{n}] {item['title']} ({item['source']})\n{item['text']}" for n, item in enumerate(results, start=1)]
    return "\n\n".join(parts) or "Nothing was found."


def _is_interrupt(error: Exception) -> bool:
    """Whether an exception is a pause of the graph (a tool may ask a person) and not a failure."""
    from langgraph.errors import GraphBubbleUp

    return isinstance(error, GraphBubbleUp)
