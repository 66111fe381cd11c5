"""A searchable folder of documents: read once, cached by content, and read again when it changes."""

import hashlib
import json
import threading
import time
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from ...state.errors import ConfigurationError, ToolError
from ...state.runs.cache import broken, disk_cache
from ...state.text.segments import tokens
from .chunks import chunks
from .documents import DOCUMENT_FORMAT, ENDINGS, Unreadable, is_harmless, read
from .folder import SECONDS, File, Skipped, place, scan, why
from .index import INDEX_FORMAT, Entry, Hit, Index
from .workers import calls

DOCUMENTS_SIZE = 2**30
TRIES = 3
LOOK_AGAIN = 2.0
"""Seconds after which a search looks for changed files."""
REST = 10.0
"""How many times as long as it took to look, nobody looks again: large folders are not read all the time."""

Extract = dict[str, Any]
"""The cached extract of a document, JSON-like: title, text, sources, chunks, and the space-separated tokens of each; or
the reason why it is skipped.
"""


_making = threading.Lock()


def library(folder: Path, cache: Path, cites: bool) -> "Library":
    """The library of a folder, built once per process and settings, even if it is requested several times at once."""
    with _making:
        return _library(folder, cache, cites)


@lru_cache(maxsize=8)
def _library(folder: Path, cache: Path, cites: bool) -> "Library":
    return Library(folder, cache, cites)


@dataclass(frozen=True)
class _Shelf:
    """The library at one point in time; running searches keep theirs while a new one is built."""

    files: tuple[File, ...]
    hashes: dict[str, str]
    index: Index
    skipped: list[Skipped]


class Library:
    """The documents of a folder and their index.

    Args:
        folder: Where the documents are.
        cache: Where extracts and indexes are stored.
        cites: Whether a page's source is the first address in its front matter instead of its path.

    Raises:
        ConfigurationError: If there is nothing to read.
    """

    def __init__(self, folder: Path, cache: Path, cites: bool) -> None:
        self._folder, self._only = place(folder)
        self._cache, self._cites = cache, cites
        self._lock = threading.Lock()
        self._shelf = self._read_folder(None)
        self._look_at = time.monotonic() + LOOK_AGAIN

    @property
    def skipped(self) -> list[Skipped]:
        """The documents that could not be read, with the reason."""
        return list(self._shelf.skipped)

    def entries(self) -> list[Entry]:
        """The documents currently in the folder; the same list as long as nothing changes."""
        self.refresh()
        return self._shelf.index.entries

    def search(self, query: str, limit: int) -> list[Hit]:
        """Search the folder as it was when somebody last looked for changes, usually at most LOOK_AGAIN seconds ago."""
        self.refresh()
        return self._shelf.index.search(query, limit)

    def refresh(self) -> None:
        """Read what has changed in the folder, if the last check was long enough ago.

        While one thread does, the others go on with what is there.
        """
        if time.monotonic() < self._look_at or not self._lock.acquire(blocking=False):
            return
        begun, pause = time.monotonic(), 0.0  # the next search is told of an error, too, unless it took long
        try:
            self._shelf = self._read_folder(self._shelf)
            pause = LOOK_AGAIN
        finally:
            now = time.monotonic()
            self._look_at = now + max(pause, REST * (now - begun))
            self._lock.release()

    def _read_folder(self, before: _Shelf | None) -> _Shelf:
        for _ in range(TRIES):
            with suppress(_Changed):
                return self._read_folder_once(before)
        raise ToolError(f"{self._folder} keeps changing while it is read: try again later")

    def _read_folder_once(self, before: _Shelf | None) -> _Shelf:
        if not self._folder.is_dir():
            raise ConfigurationError(f"{self._folder} is not a folder or a file: set `sources` to your documents")
        files, skipped = scan(self._folder, self._only)
        if before and before.files == tuple(files):
            return before
        hashes = self._hashes(files, before, skipped)
        index = self._index([file.path for file in files if file.path in hashes], hashes, skipped)
        return _Shelf(tuple(files), hashes, index, skipped)

    def _hashes(self, files: list[File], before: _Shelf | None, skipped: list[Skipped]) -> dict[str, str]:
        """The hash of each file's bytes by path; files that look unchanged keep theirs."""
        previous = {file: before.hashes.get(file.path) for file in before.files} if before else {}
        hashes: dict[str, str] = {}
        for file in files:
            try:
                hashes[file.path] = previous.get(file) or hashlib.sha256(self._bytes(file.path)).hexdigest()
            except OSError as error:
                skipped.append(Skipped(file.path, why(error)))
        return hashes

    def _index(self, paths: list[str], hashes: dict[str, str], skipped: list[Skipped]) -> Index:
        state = [INDEX_FORMAT, DOCUMENT_FORMAT, self._cites, [[path, hashes[path]] for path in paths]]
        name = hashlib.sha256(json.dumps(state).encode()).hexdigest()
        path = self._cache / "indexes" / f"{name}.npz"
        index = Index.load(path)
        if index is None:
            index = self._build(paths, hashes, skipped)
            with suppress(OSError):  # an unwritable cache is no reason not to search
                index.save(path)
        skipped += [Skipped(path, reason) for path, reason in index.unread]
        return index

    def _build(self, paths: list[str], hashes: dict[str, str], skipped: list[Skipped]) -> Index:
        extracts = self._extracts(paths, hashes)
        unread = [(path, extract["reason"]) for path, extract in extracts.items() if "reason" in extract]
        readable = {path: extract for path, extract in extracts.items() if "reason" not in extract}
        if not readable:
            passed_over = [(file.path, file.reason) for file in skipped]
            reasons = "; ".join(f"{path}: {reason}" for path, reason in [*unread, *passed_over][:3])
            raise ConfigurationError(
                f"no readable document in {self._folder / self._only}{f' ({reasons})' if reasons else ''}: "
                f"it needs files ending in {', '.join(ENDINGS)}"
            )
        entries = [self._entry(path, extract) for path, extract in readable.items()]
        spans = [extract["chunks"] for extract in readable.values()]
        words = [extract["tokens"] for extract in readable.values()]
        return Index.build(entries, spans, words, unread)

    def _entry(self, path: str, extract: Extract) -> Entry:
        cited = extract["sources"][:1] if self._cites else []
        title = extract["title"] or Path(path).stem.replace("_", " ").replace("-", " ")
        return {"title": title, "source": cited[0] if cited else path, "text": extract["text"]}

    def _extracts(self, paths: list[str], hashes: dict[str, str]) -> dict[str, Extract]:
        """The extract of each document, from the cache if its bytes have been read before."""
        store = disk_cache(self._cache / "documents", DOCUMENTS_SIZE)
        keys = {path: f"{DOCUMENT_FORMAT}{_ending(path)}:{hashes[path]}" for path in paths}
        extracts = {path: _kept(store, key) for path, key in keys.items()}
        missing = [path for path, extract in extracts.items() if extract is None]
        contents = ((self._same_bytes(path, hashes[path]), _ending(path)) for path in missing)
        for path, read_one in zip(missing, calls(extracted, contents, SECONDS, is_harmless), strict=True):
            try:
                extract = read_one.result()
            except Unreadable as error:
                extract = {"reason": str(error)}
            extracts[path] = extract
            _keep(store, keys[path], extract)
        return {path: extract for path, extract in extracts.items() if extract is not None}

    def _same_bytes(self, path: str, expected: str) -> bytes:
        """The bytes with that hash, so that nothing is stored under the wrong name."""
        try:
            data = self._bytes(path)
        except OSError as error:
            raise _Changed(path) from error
        if hashlib.sha256(data).hexdigest() != expected:
            raise _Changed(path)
        return data

    def _bytes(self, path: str) -> bytes:
        return (self._folder / path).read_bytes()


def _ending(path: str) -> str:
    return Path(path).suffix.lower()


class _Changed(Exception):
    """A document changed or vanished while the folder was read."""


def extracted(data: bytes, ending: str) -> Extract:
    """Read and cut a document by its file name ending; for workers, which return only plain values."""
    try:
        document = read(data, ending)
    except Unreadable as error:
        return {"reason": str(error)}
    pieces = chunks(document.text)
    words = [" ".join(tokens(document.text[start:end])) for start, end, _ in pieces]
    if not any(words):
        return {"reason": "no words in it"}
    return {
        "title": document.title,
        "text": document.text,
        "sources": list(document.sources),
        "chunks": pieces,
        "tokens": words,
    }


def _kept(store: Any, key: str) -> Extract | None:
    if store is not None:
        with suppress(*broken()):
            return store.get(key)  # type: ignore[no-any-return]
    return None


def _keep(store: Any, key: str, extract: Extract) -> None:
    if store is not None:
        with suppress(*broken()):
            store.set(key, extract)
