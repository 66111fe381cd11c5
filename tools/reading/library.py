"""A searchable folder of documents: read once, cached by content, and read again when it changes."""

import hashlib
import json
import os
import shutil
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from typing import Any

from ...state.errors import ConfigurationError, ToolError, absent
from ...state.locks import ProcessLock
from ...state.runs.cache import broken, disk_cache
from ...state.text.segments import tokens
from .chunks import chunks
from .documents import DOCUMENT_FORMAT, PLAIN, READ_KINDS, Unreadable, is_harmless, read
from .folder import SECONDS, File, Skipped, place, scan, why
from .index import INDEX_FORMAT, Changes, Damaged, Entry, Hit, Index, Page
from .workers import calls

DOCUMENTS_SIZE = 2**30
TRIES = 3
LOOK_AGAIN = 2.0
"""Seconds after which a search looks for changed files."""
REST = 10.0
"""How many times as long as it took to look, nobody looks again: large folders are not read all the time."""

MAX_KEPT = 8
"""The most indexes in the cache; the one that was not opened for longest is removed first."""
COARSEST_CLOCK = 2 * 10**9
"""Nanoseconds between two times that every file system tells apart."""

Known = dict[str, tuple[str, int, int, str]]
"""Of each document, by its path: the hash of its bytes, their number, when they last changed (nanoseconds since the
epoch), and why it cannot be read, if so.
"""
Extract = dict[str, Any]
"""The cached extract of a document, JSON-like: title, text, sources, chunks, and the space-separated tokens of each; or
the reason why it is skipped.
"""


_making = ProcessLock()


def library(folder: Path, cache: Path, cites: bool) -> "Library":
    """The library of a folder, built once per process and settings, even if it is requested several times at once."""
    with _making:
        return _library(folder, cache, cites)


@lru_cache(maxsize=8)
def _library(folder: Path, cache: Path, cites: bool) -> "Library":
    return Library(folder, cache, cites)


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
        self._lock = ProcessLock()
        self._files: list[File] | None = None
        self._skipped: list[Skipped] = []
        self._entries: list[Entry] | None = None
        state = [INDEX_FORMAT, DOCUMENT_FORMAT, cites, str(self._folder.resolve()), self._only]
        self._index = _opened(cache / "indexes", hashlib.sha256(json.dumps(state).encode()).hexdigest())
        self._read_folder()
        self._look_at = time.monotonic() + LOOK_AGAIN

    @property
    def skipped(self) -> list[Skipped]:
        """The documents that could not be read, with the reason."""
        return list(self._skipped)

    def entries(self) -> list[Entry]:
        """The documents currently in the folder; the same list as long as nothing changes."""
        self.refresh()
        with self._lock:
            if self._entries is None:
                self._entries = self._index.entries()
            return self._entries

    def search(self, query: str, limit: int) -> list[Hit]:
        """Search the folder as it was when somebody last looked for changes, usually at most LOOK_AGAIN seconds ago."""
        self.refresh()
        return self._index.search(query, limit)

    def refresh(self) -> None:
        """Read what has changed in the folder, if the last check was long enough ago.

        While one thread does, the others go on with what is there.
        """
        if time.monotonic() < self._look_at or not self._lock.acquire(blocking=False):
            return
        begun, pause = time.monotonic(), 0.0  # the next search is told of an error, too, unless it took long
        try:
            self._read_folder()
            pause = LOOK_AGAIN
        finally:
            now = time.monotonic()
            self._look_at = now + max(pause, REST * (now - begun))
            self._lock.release()

    def _read_folder(self) -> None:
        for _ in range(TRIES):
            with suppress(_Changed):
                return self._read_folder_once()
        raise ToolError(f"{self._folder} keeps changing while it is read: try again later")

    def _read_folder_once(self) -> None:
        if not self._folder.is_dir():
            raise ConfigurationError(absent(self._folder, "set `sources` to your documents", "file or folder"))
        files, skipped = scan(self._folder, self._only)
        if self._files == files:
            return
        known = self._index.known
        if not files or not _is_known(files, known):
            try:
                known = self._changed(files, skipped)
            except OSError:  # an unwritable cache is no reason not to search
                self._index = Index()
                known = self._changed(files, skipped)
        else:
            self._index.reload()
        unread = [Skipped(path, reason) for path, (*_, reason) in known.items() if reason]
        self._files, self._entries, self._skipped = files, None, skipped + unread

    def _changed(self, files: Sequence[File], skipped: list[Skipped]) -> Known:
        """Bring the index up to date; returns what is then known of the files."""
        with self._index.changing() as changes:
            before: Known = self._index.known
            known: Known = {}
            extracts: dict[str, str] = {}
            for file in files:
                hashed, size, mtime, reason = before.get(file.path, ("", 0, 0, ""))
                if (size, mtime) != (file.size, file.mtime):
                    try:
                        new = hashlib.sha256(self._bytes(file.path)).hexdigest()
                    except OSError as error:
                        skipped.append(Skipped(file.path, why(error)))
                        continue
                    if new != hashed:
                        extracts[file.path], reason = new, ""
                    hashed = new
                known[file.path] = (hashed, file.size, _trusted(file), reason)
            for path in before.keys() - known.keys():
                changes.drop(path)
            changes.add(self._pages(extracts, known, changes))
            self._check_readable(known, skipped)
            changes.known = known
        return known

    def _pages(self, hashes: dict[str, str], known: Known, changes: Changes) -> Iterator[Page]:
        """The documents that have to be read. Why others cannot be read is noted."""
        for path, extract in self._extracts(hashes):
            if reason := extract.get("reason"):
                known[path] = (*known[path][:3], reason)
                changes.drop(path)
            else:
                yield Page(path, self._entry(path, extract), extract["chunks"], extract["tokens"])

    def _check_readable(self, known: Known, skipped: Sequence[Skipped]) -> None:
        """Raise ConfigurationError if there is no document to search."""
        if any(not reason for *_, reason in known.values()):
            return
        unread = [(path, reason) for path, (*_, reason) in known.items()]
        passed_over = [(file.path, file.reason) for file in skipped]
        reasons = "; ".join(f"{path}: {reason}" for path, reason in [*unread, *passed_over][:3])
        raise ConfigurationError(
            f"no readable document in {self._folder / self._only}{f' ({reasons})' if reasons else ''}: {READ_KINDS}"
        )

    def _entry(self, path: str, extract: Extract) -> Entry:
        cited = extract["sources"][:1] if self._cites else []
        title = extract["title"] or Path(path).stem.replace("_", " ").replace("-", " ")
        return {"title": title, "source": cited[0] if cited else path, "text": extract["text"]}

    def _extracts(self, hashes: dict[str, str]) -> Iterator[tuple[str, Extract]]:
        """The extract of each document: first those that are cached, because their bytes have been read before.

        Plain texts are not cached.
        """
        store = disk_cache(self._cache / "documents", DOCUMENTS_SIZE)
        keys = {path: f"{DOCUMENT_FORMAT}{_ending(path)}:{hashed}" for path, hashed in hashes.items()}
        missing: list[str] = []
        for path, key in keys.items():
            if not path.lower().endswith(PLAIN) and (extract := _kept(store, key)):
                yield path, extract
            else:
                missing.append(path)
        contents = ((self._same_bytes(path, hashes[path]), _ending(path)) for path in missing)
        for path, read_one in zip(missing, calls(extracted, contents, SECONDS, is_harmless), strict=True):
            try:
                extract = read_one.result()
            except Unreadable as error:
                extract = {"reason": str(error)}
            if not path.lower().endswith(PLAIN):
                _keep(store, keys[path], extract)
            yield path, extract

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


def _opened(indexes: Path, name: str) -> Index:
    """The index of that name; what is damaged is made again, and what cannot be written is kept in memory."""
    with suppress(OSError):
        _drop_oldest(indexes)
    for _ in range(2):
        try:
            index = Index(indexes / name)
            with suppress(OSError):  # an index that is only there to be read
                os.utime(indexes / name)
            return index
        except Damaged:
            shutil.rmtree(indexes / name, ignore_errors=True)
        except OSError:
            break
    return Index()


def _drop_oldest(indexes: Path) -> None:
    for path in sorted(indexes.iterdir(), key=lambda path: path.stat().st_mtime, reverse=True)[MAX_KEPT:]:
        shutil.rmtree(path) if path.is_dir() else path.unlink()


def _is_known(files: Sequence[File], known: Known) -> bool:
    """Whether the index has the files as they are, as far as size and time tell."""
    told = {path: (size, mtime) for path, (_, size, mtime, _) in known.items()}
    return told == {file.path: (file.size, file.mtime) for file in files}


def _trusted(file: File) -> int:
    """The time of a file's last change, if a later one would be another; otherwise 0, so that it is read again."""
    return file.mtime if file.mtime < time.time_ns() - COARSEST_CLOCK else 0


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
