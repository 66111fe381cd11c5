"""Search in texts that a caller supplies or that came with a request."""

import hashlib
from collections.abc import Sequence
from typing import Any, Self

from pydantic import PrivateAttr

from ...state import Evidence
from ...state.text.segments import tokens
from ..reading.chunks import Chunk, chunks
from ..reading.index import Entry, Hit, Index, Page
from ..reading.workers import in_thread
from ..search import SearchTool, evidence


class TextSearch(SearchTool):
    """Finds the texts whose passages fit a query best (BM25), as the local search does in a folder."""

    name: str = "texts"
    description: str = "Search the texts that were given."

    content: str
    """A hash of the texts."""
    _index: Index | None = PrivateAttr(default=None)

    @classmethod
    def of(
        cls,
        texts: Sequence[Entry],
        spans: Sequence[Sequence[Chunk]] | None = None,
        words: Sequence[Sequence[str]] | None = None,
        **settings: Any,
    ) -> Self:
        """Make a search in some texts.

        Args:
            texts: The texts; may be empty.
            spans: The chunks of each text, if already known.
            words: The tokens of each chunk, if already known.
            **settings: The settings of every search.
        """
        search = cls(content=hashlib.sha256(repr(list(texts)).encode("utf-8", "replace")).hexdigest(), **settings)
        if texts:
            spans = spans or [chunks(entry["text"]) for entry in texts]
            words = words or [
                [" ".join(tokens(entry["text"][start:end])) for start, end, _ in pieces]
                for entry, pieces in zip(texts, spans, strict=True)
            ]
            pages = zip(texts, spans, words, strict=True)
            search._index = Index.of(Page(f"{number:09}", *page) for number, page in enumerate(pages))
        return search

    def settings(self) -> dict[str, Any]:
        """A hash of the texts."""
        return {"content": self.content}

    async def _find(self, query: str, limit: int) -> list[Evidence]:
        if self._index is None:
            return []
        return evidence_in(await in_thread(self._index.search, query, limit), query)


def evidence_in(hits: Sequence[Hit], query: str) -> list[Evidence]:
    """What was found in documents for a query, as evidence."""
    return [
        evidence(query=query, text=hit.text, title=hit.entry["title"], source=hit.entry["source"], score=hit.score)
        for hit in hits
    ]
