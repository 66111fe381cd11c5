"""Search in a folder of documents by TF-IDF over hashed words and pairs of words, as DrQA's retriever does.

Chen et al. 2017, Reading Wikipedia to Answer Open-Domain Questions (arXiv 1704.00051), section 3.1.
"""

import asyncio
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar
from weakref import WeakKeyDictionary

from pydantic import PrivateAttr

from ..state import Evidence
from ..state.errors import ConfigurationError
from ..state.text import tokens
from .cache import cache_folder
from .folder import Skipped
from .index import Entry
from .library import Library, library
from .local import CORPUS
from .search import SearchError, SearchTool, evidence

if TYPE_CHECKING:
    from ..state import Context

BUCKETS = 2**24
"""Of hashed words and pairs of words (section 3.1)."""

_building = threading.Lock()


class DrqaSearch(SearchTool):
    """Finds the documents of a folder whose words and pairs of words fit a query best. Results are whole documents."""

    name: str = "drqa"
    description: str = "Search the local documents. Gives the documents that fit best."
    whole_pages: ClassVar[bool] = True

    folder: Path = CORPUS
    _library: Library = PrivateAttr()

    def model_post_init(self, context: Any, /) -> None:
        self._library = library(self.folder, cache_folder(), self.folder == CORPUS)
        self._library.refresh()

    @classmethod
    def of(cls, context: "Context") -> "DrqaSearch":
        """The search that a Context describes.

        Raises:
            ConfigurationError: If its folder has nothing to read.
        """
        folder = Path(context.sources).expanduser().absolute() if context.sources else CORPUS
        return cls(folder=folder, timeout=context.timeout)

    @property
    def skipped(self) -> list[Skipped]:
        """Documents of the folder that could not be read, with the reason."""
        return self._library.skipped

    def settings(self) -> dict[str, Any]:
        return {"folder": str(self.folder)}

    async def _find(self, query: str, limit: int) -> list[Evidence]:
        try:
            hits = await asyncio.to_thread(self._search, query, limit)
        except ConfigurationError as error:  # the folder was there when the run began
            raise SearchError(str(error)) from error
        return [
            evidence(query=query, text=entry["text"], title=entry["title"], source=entry["source"], score=score)
            for entry, score in hits
        ]

    def _search(self, query: str, limit: int) -> list[tuple[Entry, float]]:
        entries = self._library.entries()
        return _table(self._library, entries).search(query, limit)


class Table:
    """Documents by the weights of their words and pairs of words; kept for the buckets that occur."""

    def __init__(self, entries: list[Entry]) -> None:
        import numpy as np
        from scipy.sparse import csr_matrix
        from sklearn.feature_extraction.text import TfidfTransformer

        self.entries = entries
        counts = _counted([f"{entry['title']}\n{entry['text']}" for entry in entries])
        self._buckets, columns = np.unique(counts.indices, return_inverse=True)
        kept = csr_matrix((counts.data, columns, counts.indptr), shape=(len(entries), len(self._buckets)))
        # Smoothed, because in a folder of two documents DrQA's own form calls every word worthless.
        self._weighing = TfidfTransformer(smooth_idf=True)
        self._rows = self._weighing.fit_transform(kept) if kept.nnz else kept

    def search(self, query: str, limit: int) -> list[tuple[Entry, float]]:
        """At most `limit` documents with the cosine of their weights and the query's, best first; none without any."""
        import numpy as np
        from scipy.sparse import csr_matrix

        counts = _counted([query])
        known = np.isin(counts.indices, self._buckets)
        if not known.any():
            return []
        columns = np.searchsorted(self._buckets, counts.indices[known])
        asked = csr_matrix((counts.data[known], columns, [0, len(columns)]), shape=(1, len(self._buckets)))
        scores = (self._rows @ self._weighing.transform(asked).T).toarray().ravel()
        best = [number for number in np.argsort(-scores, kind="stable")[:limit] if scores[number] > 0]
        return [(self.entries[number], float(scores[number])) for number in best]


_tables: WeakKeyDictionary[Library, Table] = WeakKeyDictionary()


def _table(documents: Library, entries: list[Entry]) -> Table:
    """The table of a library's documents, made again when these are others."""
    with _building:
        known = _tables.get(documents)
        if known is None or known.entries is not entries:
            known = _tables[documents] = Table(entries)
        return known


def _counted(texts: list[str]) -> Any:
    """A row for each text: log(1 + count) of the words and pairs of words in each bucket."""
    from sklearn.feature_extraction.text import HashingVectorizer

    hashing = HashingVectorizer(
        n_features=BUCKETS, ngram_range=(1, 2), tokenizer=tokens, token_pattern=None, lowercase=False,
        alternate_sign=False, norm=None,
    )  # fmt: skip
    return hashing.transform(texts).log1p()
