"""Search in texts that a caller hands in."""

import hashlib
from typing import Any, ClassVar

from pydantic import PrivateAttr

from ..state import Evidence
from ..state.text import tokens
from .chunks import chunks
from .index import Entry, Index
from .search import SearchTool, evidence
from .workers import in_thread


class TextSearch(SearchTool):
    """Finds the texts whose passages fit a query best (BM25), as the local search does in a folder."""

    name: str = "texts"
    description: str = "Search the texts that were given."
    whole_pages: ClassVar[bool] = True

    texts: tuple[Entry, ...]
    _index: Index | None = PrivateAttr(default=None)

    def model_post_init(self, context: Any, /) -> None:
        if not self.texts:
            return
        spans = [chunks(entry["text"]) for entry in self.texts]
        words = [
            [" ".join(tokens(entry["text"][start:end])) for start, end, _ in pieces]
            for entry, pieces in zip(self.texts, spans, strict=True)
        ]
        self._index = Index.build(list(self.texts), spans, words, [])

    def settings(self) -> dict[str, Any]:
        return {"texts": hashlib.sha256(repr(self.texts).encode("utf-8", "replace")).hexdigest()}

    async def _find(self, query: str, limit: int) -> list[Evidence]:
        if self._index is None:
            return []
        hits = await in_thread(self._index.search, query, limit)
        return [
            evidence(query=query, text=hit.text, title=hit.entry["title"], source=hit.entry["source"], score=hit.score)
            for hit in hits
        ]
