"""The documents in a folder: which there are, and which are skipped and why."""

import os
import stat
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from ...state.errors import ConfigurationError, absent
from .documents import ENDINGS, Document, Unreadable, is_harmless, lacking_for, read
from .workers import calls

MAX_BYTES = 20 * 2**20
SECONDS = 120.0
"""Seconds of processor time per document. Users have more patience with long PDFs of their own than with web pages."""


@dataclass(frozen=True)
class File:
    """A file of the folder, as it was when the folder was listed."""

    path: str
    """Relative to the folder, with forward slashes."""
    size: int
    """In bytes."""
    mtime: int
    """The time of the last change, in nanoseconds since the epoch."""


@dataclass(frozen=True)
class Skipped:
    """A document that is not searched."""

    path: str
    reason: str


def scan(folder: Path, only: str = "") -> tuple[list[File], list[Skipped]]:
    """The readable files in a stable order, and those that are skipped.

    Hidden files and folders are left alone, and links to folders are not followed.

    Args:
        folder: Where they are.
        only: The name of the only file to read; empty for all.
    """
    root = folder.resolve()
    files: list[File] = []
    skipped: list[Skipped] = []
    for path, name in [(str(folder / only), only)] if only else _walk(folder, skipped):
        ending = os.path.splitext(name)[1].lower()
        if _shown(name) != name:
            skipped.append(Skipped(name, "its name is not UTF-8"))  # the index could not store it
            continue
        try:
            status = os.lstat(path)
            if stat.S_ISLNK(status.st_mode):
                if not only and not Path(path).resolve().is_relative_to(root):
                    skipped.append(Skipped(name, "a link that leads out of the folder"))
                    continue
                status = os.stat(path)
        except (OSError, RuntimeError) as error:
            skipped.append(Skipped(name, why(error)))
            continue
        if ending not in ENDINGS:
            skipped.append(Skipped(name, "unsupported kind of file"))
        elif not stat.S_ISREG(status.st_mode):
            skipped.append(Skipped(name, "not a regular file"))
        elif reason := lacking_for(ending):
            skipped.append(Skipped(name, reason))
        elif status.st_size > MAX_BYTES:
            skipped.append(Skipped(name, f"larger than {MAX_BYTES // 2**20} MB"))
        else:
            files.append(File(name, status.st_size, status.st_mtime_ns))
    shown = [Skipped(_shown(file.path), file.reason) for file in skipped]
    return sorted(files, key=lambda file: file.path), sorted(shown, key=lambda file: file.path)


def read_all(folder: Path) -> Iterator[Document]:
    """The documents in a folder and its subfolders, in the order of their paths, or the one document of a file.

    Unreadable documents are left out; a search over the same folder names them.

    Raises:
        ConfigurationError: If there is no such folder.
    """
    folder, only = place(folder)
    if not folder.is_dir():
        raise ConfigurationError(absent(folder, what="folder"))
    for document in calls(read, _contents(folder, only), SECONDS, is_harmless):
        with suppress(Unreadable):
            yield Document(*document.result())


def place(sources: Path) -> tuple[Path, str]:
    """The folder that is meant, and the one file in it if it is a file."""
    return (sources.parent, sources.name) if sources.is_file() else (sources, "")


def _contents(folder: Path, only: str) -> Iterator[tuple[bytes, str]]:
    for file in scan(folder, only)[0]:
        path = folder / file.path
        with suppress(OSError):
            yield path.read_bytes(), path.suffix.lower()


def why(error: Exception) -> str:
    """Why the system did not let us read a file, in a few words."""
    return (getattr(error, "strerror", None) or type(error).__name__).lower()


def _shown(name: str) -> str:
    """A name as it can be printed: bytes that are not UTF-8 are escaped."""
    return os.fsencode(name).decode("utf-8", "backslashreplace")


def _walk(folder: Path, skipped: list[Skipped]) -> Iterator[tuple[str, str]]:
    """The files that may be documents: the path of each, and the path below the folder, with forward slashes."""
    places = [(str(folder), "")]
    while places:
        place, below = places.pop()
        try:
            with os.scandir(place) as listed:
                entries = [entry for entry in listed if not entry.name.startswith(".")]
        except OSError as error:
            skipped.append(Skipped(below.rstrip("/"), why(error)))
            continue
        for entry in entries:
            try:
                is_folder = entry.is_dir()
            except OSError as error:  # a link to itself, or into a folder that is closed to us
                skipped.append(Skipped(below + entry.name, why(error)))
                continue
            if is_folder:
                if not entry.is_symlink():
                    places.append((entry.path, f"{below}{entry.name}/"))
            elif os.path.splitext(entry.name)[1].lower() in ENDINGS:
                yield entry.path, below + entry.name
