"""A BM25 index of documents, by tantivy: on disk and mapped into memory, or in memory alone.

A document is stored once, and each of its chunks is found by its words. Documents are added and dropped one by one.
"""

import json
import os
import tempfile
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from typing_extensions import TypedDict

from ...state.text.segments import tokens
from .chunks import Chunk

INDEX_FORMAT = "3"
MAX_SENTENCES = 30
"""The most sentences of one page in a result: enough to cut windows from, but not a whole book."""
MEMORY = 64_000_000
"""Bytes that are gathered before they are written."""
LOOKED_AT = 8
"""Chunks looked at for each page that is wanted, at first."""
WAIT = 600.0
"""Seconds to wait for another process that changes the index."""
KNOWN = "files.json"


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


class Page(NamedTuple):
    """A document with its chunks, to be added."""

    name: str
    entry: Entry
    spans: Sequence[Chunk]
    words: Sequence[str]
    """The tokens of each chunk, separated by spaces."""


class Damaged(Exception):
    """The files of an index are not what they were."""


class Index:
    """Pages cut into chunks; a query finds pages by their best chunk.

    Args:
        folder: Where its files are; None keeps it in memory.

    Raises:
        Damaged: If there are files that cannot be read.
        OSError: If they cannot be written.
    """

    def __init__(self, folder: Path | None = None) -> None:
        import tantivy

        self._folder = folder
        self._known: dict[str, Any] = {}
        if folder:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        try:
            self._index = tantivy.Index(_schema(), path=str(folder) if folder else None)
            self._index.searcher()
        except ValueError as error:
            raise Damaged(str(error)) from None

    @classmethod
    def of(cls, pages: Iterable[Page]) -> "Index":
        """An index in memory."""
        index = cls()
        with index.changing() as changes:
            changes.add(pages)
        return index

    @property
    def known(self) -> dict[str, Any]:
        """What the last who changed it knew of its documents, JSON-like; empty if that is lost."""
        if not self._folder:
            return self._known
        try:
            known: dict[str, Any] = json.loads((self._folder / KNOWN).read_bytes())
        except (OSError, ValueError):
            return {}
        return known

    @contextmanager
    def changing(self) -> Iterator["Changes"]:
        """Change it, alone; if the block fails, it stays as it is.

        Raises:
            OSError: If it cannot be written, or another process does not finish.
        """
        writer = self._writer()
        try:
            changes = Changes(writer)
            yield changes
            writer.commit()
            if changes.known is not None:
                self._keep(changes.known)  # afterwards: what is lost in between is added once more
        except BaseException as error:
            with suppress(ValueError):
                writer.rollback()
            if isinstance(error, ValueError):  # tantivy's only one
                raise OSError(str(error)) from None
            raise
        finally:
            writer.wait_merging_threads()  # and let others change it
        self._index.reload()

    def reload(self) -> None:
        """See what other processes have changed."""
        self._index.reload()

    def entries(self) -> list[Entry]:
        """All documents, in the order of their names."""
        searcher = self._index.searcher()
        found = searcher.search(_term("kind", "page"), max(searcher.num_docs, 1)).hits
        named = [searcher.doc(address) for _, address in found]
        return [json.loads(page["body"][0]) for page in sorted(named, key=lambda page: page["name"][0])]

    def search(self, query: str, limit: int) -> list[Hit]:
        """At most `limit` different pages, best first; none if no word of the query is known."""
        hits: list[Hit] = []
        texts_seen: set[str] = set()
        searcher, words = self._index.searcher(), tokens(query)
        if not words or not limit:
            return []
        for name, score in _ranked(searcher, words, limit * LOOKED_AT):
            (_, page), *_ = searcher.search(_all(_term("name", name), _term("kind", "page")), 1).hits
            entry: Entry = json.loads(searcher.doc(page)["body"][0])
            if entry["text"] not in texts_seen:  # a copy of a page adds nothing
                texts_seen.add(entry["text"])
                hits.append(Hit(entry, _best_parts(searcher, words, name, entry["text"]), score))
            if len(hits) == limit:
                break
        return hits

    def _writer(self) -> Any:
        until = time.monotonic() + WAIT
        while True:
            try:
                return self._index.writer(MEMORY, 1)
            except ValueError as error:
                if "Lock" not in str(error) or time.monotonic() > until:
                    raise OSError(str(error)) from None
            time.sleep(0.05)

    def _keep(self, known: dict[str, Any]) -> None:
        """Write what is known of the documents; readers see the old file or the new one, never part of one."""
        self._known = known
        if not self._folder:
            return
        with tempfile.NamedTemporaryFile(dir=self._folder, suffix=".part", delete=False) as file:
            file.write(json.dumps(known).encode())
        os.replace(file.name, self._folder / KNOWN)


class Changes:
    """What changes in an index, together."""

    known: dict[str, Any] | None = None
    """What is to be known of its documents."""

    def __init__(self, writer: Any) -> None:
        self._writer = writer

    def drop(self, name: str) -> None:
        """Drop a document, if it is there."""
        self._writer.delete_documents_by_term("name", name)

    def add(self, pages: Iterable[Page]) -> None:
        """Add documents, in place of those of the same names."""
        import tantivy

        for page in pages:
            self.drop(page.name)
            body = json.dumps(page.entry).encode()
            self._writer.add_document(tantivy.Document(name=page.name, kind="page", body=body))
            title = " ".join(tokens(page.entry["title"]))
            for span, words in zip(page.spans, page.words, strict=True):
                place = json.dumps(span).encode()
                self._writer.add_document(tantivy.Document(name=page.name, words=f"{title} {words}", body=place))


@cache
def _schema() -> Any:
    import tantivy

    builder = tantivy.SchemaBuilder()
    builder.add_text_field("name", stored=True, tokenizer_name="raw", index_option="basic")
    builder.add_text_field("kind", tokenizer_name="raw", index_option="basic")
    builder.add_text_field("words", tokenizer_name="whitespace", index_option="freq")
    builder.add_bytes_field("body", stored=True)
    return builder.build()


def _term(field: str, value: str) -> Any:
    import tantivy

    return tantivy.Query.term_query(_schema(), field, value)


def _all(*queries: Any) -> Any:
    import tantivy

    return tantivy.Query.boolean_query([(tantivy.Occur.Must, query) for query in queries])


def _any(words: Iterable[str]) -> Any:
    import tantivy

    return tantivy.Query.boolean_query([(tantivy.Occur.Should, _term("words", word)) for word in words])


def _ranked(searcher: Any, words: Sequence[str], looked_at: int) -> Iterator[tuple[str, float]]:
    """The names of the pages with the scores of their best chunks, best first."""
    told: set[str] = set()
    while True:
        hits = searcher.search(_any(words), looked_at).hits
        best: dict[str, float] = {}
        for score, address in hits:
            best.setdefault(searcher.doc(address)["name"][0], score)
        for name, score in sorted(best.items(), key=lambda page: (-page[1], page[0])):
            if name not in told:
                told.add(name)
                yield name, score
        if len(hits) < looked_at:
            return
        looked_at *= 4


def _best_parts(searcher: Any, words: Sequence[str], name: str, text: str) -> str:
    import tantivy

    in_page = tantivy.Query.const_score_query(_term("name", name), 0.0)
    hits = searcher.search(_all(in_page, _any(words)), MAX_SENTENCES).hits  # each has one at least
    placed = [(score, json.loads(searcher.doc(address)["body"][0])) for score, address in hits]
    chosen: list[tuple[int, int]] = []
    room = MAX_SENTENCES
    for _, (start, end, count) in sorted(placed, key=lambda part: (-part[0], part[1])):
        if chosen and count > room:
            break
        chosen.append((start, end))
        room -= count
    return "\n\n".join(text[start:end].strip() for start, end in _union(sorted(chosen)))


def _union(spans: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Join overlapping spans, such as those of neighbouring chunks."""
    joined: list[tuple[int, int]] = []
    for start, end in spans:
        if joined and start <= joined[-1][1]:
            joined[-1] = (joined[-1][0], max(joined[-1][1], end))
        else:
            joined.append((start, end))
    return joined
