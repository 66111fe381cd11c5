"""Search in a folder of documents by TF-IDF over hashed words and word pairs, as DrQA's retriever does.

Chen et al. 2017, Reading Wikipedia to Answer Open-Domain Questions (arXiv 1704.00051), section 3.1.
"""

from collections import Counter
from itertools import chain, pairwise
from weakref import WeakKeyDictionary
from zlib import crc32

from ...state.locks import ProcessLock
from ...state.text.segments import tokens
from ..reading.index import Entry, Hit
from ..reading.library import Library
from .local import LocalSearch

BUCKETS = 2**24
"""The number of buckets for hashed words and word pairs (section 3.1)."""

_building = ProcessLock()


class DrqaSearch(LocalSearch):
    """Finds the documents in a folder whose words and word pairs fit a query best. Results are whole documents."""

    name: str = "drqa"
    description: str = "Search the local documents. Gives the documents that fit best."

    def _hits(self, query: str, limit: int) -> list[Hit]:
        ranked = _table(self._library, self._library.entries()).search(query, limit)
        return [Hit(entry, entry["text"], score) for entry, score in ranked]


class Table:
    """Documents as weights of their words and word pairs, kept only for buckets that occur."""

    def __init__(self, entries: list[Entry]) -> None:
        import numpy as np

        self.entries = entries
        counted = [_counted(f"{entry['title']}\n{entry['text']}") for entry in entries]
        documents = np.repeat(np.arange(len(entries), dtype=np.int32), [len(counts) for counts in counted])
        terms = np.fromiter((bucket for counts in counted for bucket in counts), np.int32, len(documents))
        times = np.fromiter((n for counts in counted for n in counts.values()), float, len(documents))
        self._buckets, columns, frequencies = np.unique(terms, return_inverse=True, return_counts=True)
        # Smoothed, because with two documents DrQA's own form gives every word the weight 0.
        self._rarity = np.log((1 + len(entries)) / (1 + frequencies)) + 1
        weights = np.log1p(times) * self._rarity[columns]
        weights /= np.sqrt(np.bincount(documents, weights**2, len(entries)))[documents]
        by_bucket = np.argsort(columns, kind="stable")
        self._documents, self._weights = documents[by_bucket], weights[by_bucket]
        self._ends = np.cumsum(frequencies)

    def search(self, query: str, limit: int) -> list[tuple[Entry, float]]:
        """At most `limit` documents with the cosine similarity to the query, best first, without those at 0."""
        import numpy as np

        counts = _counted(query)
        _, positions, places = np.intersect1d(list(counts), self._buckets, return_indices=True)
        if not len(positions):
            return []
        weights = np.log1p(list(counts.values()))[positions] * self._rarity[places]
        scores = np.zeros(len(self.entries))
        for place, weight in zip(places, weights / np.linalg.norm(weights), strict=True):
            rows = slice(self._ends[place - 1] if place else 0, self._ends[place])
            scores[self._documents[rows]] += weight * self._weights[rows]
        best = [number for number in np.argsort(-scores, kind="stable")[:limit] if scores[number] > 0]
        return [(self.entries[number], float(scores[number])) for number in best]


_tables: WeakKeyDictionary[Library, Table] = WeakKeyDictionary()


def _table(documents: Library, entries: list[Entry]) -> Table:
    """The table of a library's documents, rebuilt when they change."""
    with _building:
        table = _tables.get(documents)
        if table is None or table.entries is not entries:
            table = _tables[documents] = Table(entries)
        return table


def _counted(text: str) -> Counter[int]:
    """How often the words and word pairs of each bucket occur in a text."""
    words = tokens(text)
    pairs = (f"{first} {second}" for first, second in pairwise(words))
    return Counter(crc32(term.encode()) % BUCKETS for term in chain(words, pairs))
