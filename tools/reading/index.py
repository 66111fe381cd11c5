"""A BM25 index of pages in memory, and the file that stores it.

The file is a numpy archive without pickles: arrays, and JSON as an array of bytes.
"""

import json
import os
import tempfile
import zipfile
import zlib
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from typing_extensions import TypedDict

from ...state.text.bm25 import empty_index, index_of
from ...state.text.segments import tokens
from .chunks import Chunk

INDEX_FORMAT = "2"
MAX_SENTENCES = 30
"""The most characters of one page in a result: enough to cut windows from, but not a whole book."""
MAX_KEPT = 8
"""The most index files in the cache; the oldest is removed first."""
_DAMAGED = (OSError, EOFError, ValueError, LookupError, TypeError, RuntimeError, zipfile.BadZipFile, zlib.error)


class Entry(TypedDict):
    """A document that can be found."""

    title: str
    source: str
    text: str


@dataclass(frozen=True)
class Hit:
    """A document that was found."""

    entry: Entry
    text: str
    """The parts of the page that fit the query best, in order."""
    score: float
    """The BM25 score of the best part."""


class Index:
    """Pages cut into chunks; a query finds pages by their best chunk."""

    def __init__(self, entries: list[Entry], unread: list[tuple[str, str]], chunks: Any, bm25: Any) -> None:
        self.entries = entries
        self.unread = unread
        """Path and reason for each document that could not be read."""
        self._chunks = chunks
        """One row per chunk, with the chunks of a page together: page, start, end, sentences."""
        self._bm25 = bm25

    @classmethod
    def build(
        cls,
        entries: list[Entry],
        spans: Sequence[Sequence[Chunk]],
        words: Sequence[Sequence[str]],
        unread: list[tuple[str, str]],
    ) -> "Index":
        """Index pages by their chunks.

        Args:
            entries: The pages.
            spans: The chunks of each page, at least one.
            words: The tokens of each chunk, separated by spaces.
            unread: The paths of documents that could not be read, each with the reason.
        """
        import numpy as np

        rows = [(number, *span) for number, of_page in enumerate(spans) for span in of_page]
        titles = [tokens(entry["title"]) for entry in entries]
        texts = [title + chunk.split() for title, of_page in zip(titles, words, strict=True) for chunk in of_page]
        return cls(entries, unread, np.array(rows, dtype=np.int32).reshape(-1, 4), index_of(texts))

    def search(self, query: str, limit: int) -> list[Hit]:
        """At most `limit` different pages, best first; none if no word of the query is known."""
        import numpy as np

        token_ids = self._bm25.get_tokens_ids(tokens(query))
        if not token_ids:
            return []
        scores = self._bm25.get_scores_from_ids(token_ids)
        firsts = np.searchsorted(self._chunks[:, 0], np.arange(len(self.entries)))
        best = np.maximum.reduceat(scores, firsts)
        hits: list[Hit] = []
        texts_seen: set[str] = set()
        for number in np.argsort(-best, kind="stable"):
            if len(hits) == limit or best[number] <= 0:
                break
            entry = self.entries[number]
            if entry["text"] in texts_seen:  # a copy of a page adds nothing
                continue
            texts_seen.add(entry["text"])
            first = firsts[number]
            after = firsts[number + 1] if number + 1 < len(firsts) else len(scores)
            hits.append(Hit(entry, self._best_parts(entry, first, scores[first:after]), float(best[number])))
        return hits

    def _best_parts(self, entry: Entry, first: int, scores: Any) -> str:
        import numpy as np

        chosen: list[tuple[int, int]] = []
        room = MAX_SENTENCES
        for offset in np.argsort(-scores, kind="stable"):
            _, start, end, count = (int(value) for value in self._chunks[first + offset])
            if chosen and (scores[offset] <= 0 or count > room):
                break
            chosen.append((start, end))
            room -= count
        return "\n\n".join(entry["text"][start:end].strip() for start, end in _union(sorted(chosen)))

    def save(self, path: Path) -> None:
        """Write the index; readers see the old file or the new one, never part of one."""
        import numpy as np

        words = sorted(self._bm25.vocab_dict, key=self._bm25.vocab_dict.__getitem__)
        facts = json.dumps({"entries": self.entries, "unread": self.unread, "words": words}).encode()
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=path.parent, suffix=".part", delete=False) as file:
            try:
                np.savez(
                    file,
                    facts=np.frombuffer(facts, dtype=np.uint8),
                    chunks=self._chunks,
                    **{name: self._bm25.scores[name] for name in ("data", "indices", "indptr")},
                )
                file.close()
                os.replace(file.name, path)
            except BaseException:
                with suppress(OSError):
                    os.unlink(file.name)
                raise
        _drop_oldest(path.parent)

    @classmethod
    def load(cls, path: Path) -> "Index | None":
        """The stored index, or None if there is none or it is damaged."""
        import numpy as np

        try:
            with path.open("rb") as stream, np.load(stream, allow_pickle=False) as file:
                facts = json.loads(file["facts"].tobytes())
                chunks = file["chunks"]
                arrays = {name: file[name] for name in ("data", "indices", "indptr")}
            os.utime(path)
            bm25 = empty_index()
            bm25.scores = {**arrays, "num_docs": len(chunks)}
            bm25.vocab_dict = {word: number for number, word in enumerate(facts["words"])}
            bm25.nonoccurrence_array = None
            unread = [(path, reason) for path, reason in facts["unread"]]
            return cls(facts["entries"], unread, chunks, bm25)
        except _DAMAGED:
            return None


def _union(spans: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Join overlapping spans, such as those of neighbouring chunks."""
    joined: list[tuple[int, int]] = []
    for start, end in spans:
        if joined and start <= joined[-1][1]:
            joined[-1] = (joined[-1][0], max(joined[-1][1], end))
        else:
            joined.append((start, end))
    return joined


def _drop_oldest(folder: Path) -> None:
    with suppress(OSError):
        for path in sorted(folder.glob("*.npz"), key=lambda path: path.stat().st_mtime, reverse=True)[MAX_KEPT:]:
            path.unlink(missing_ok=True)
