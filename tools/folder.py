"""The documents in a folder: which there are, and which are passed over and why."""

import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from .documents import ENDINGS, lacking_for

MAX_BYTES = 20 * 2**20


@dataclass(frozen=True)
class File:
    path: str
    """Relative to the folder, with forward slashes."""
    size: int
    """Bytes."""
    mtime: int
    """Time of the last change in nanoseconds since the epoch."""


@dataclass(frozen=True)
class Skipped:
    """A document that is not searched."""

    path: str
    reason: str


def scan(folder: Path) -> tuple[list[File], list[Skipped]]:
    """Files with an ending that can be read, in a stable order, and those that are passed over.

    Hidden files and folders are left alone, and links to folders are not followed.
    """
    root = folder.resolve()
    files: list[File] = []
    skipped: list[Skipped] = []
    for path in _walk(folder, skipped):
        name = path.relative_to(folder).as_posix()
        try:
            if not path.resolve().is_relative_to(root):
                skipped.append(Skipped(name, "a link that leads out of the folder"))
                continue
            status = path.stat()
        except (OSError, RuntimeError) as error:
            skipped.append(Skipped(name, why(error)))
            continue
        if not stat.S_ISREG(status.st_mode):
            skipped.append(Skipped(name, "not a regular file"))
        elif reason := lacking_for(path.suffix.lower()):
            skipped.append(Skipped(name, reason))
        elif status.st_size > MAX_BYTES:
            skipped.append(Skipped(name, f"larger than {MAX_BYTES // 2**20} MB"))
        else:
            files.append(File(name, status.st_size, status.st_mtime_ns))
    return sorted(files, key=lambda file: file.path), sorted(skipped, key=lambda file: file.path)


def why(error: Exception) -> str:
    """Why the system did not let us read a file, in a few words."""
    return (getattr(error, "strerror", None) or type(error).__name__).lower()


def _walk(folder: Path, skipped: list[Skipped]) -> Iterator[Path]:
    def pass_over(error: OSError) -> None:
        skipped.append(Skipped(Path(str(error.filename)).relative_to(folder).as_posix(), why(error)))

    for parent, folders, names in os.walk(folder, onerror=pass_over):
        folders[:] = [name for name in folders if not name.startswith(".")]
        for name in names:
            if not name.startswith(".") and Path(name).suffix.lower() in ENDINGS:
                yield Path(parent) / name
