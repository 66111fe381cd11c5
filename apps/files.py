"""Writing files completely or not at all."""

import os
import shutil
from contextlib import suppress
from pathlib import Path

from ..state.errors import ErrataError, naming


def save(path: Path, text: str, option: str = "") -> None:
    """Write a file that a person has asked for, completely or not at all.

    Args:
        path: Where it goes.
        text: The content.
        option: The option that named the file, for the message.

    Raises:
        ErrataError: If it cannot be written.
    """
    with naming(f"{option} {path}".lstrip(), ErrataError):
        write_whole(path, text)


def write_whole(path: Path, text: str) -> None:
    """Write a file; the old one stays until all of the new text is on disk, and its permissions are kept.

    Args:
        path: A device or a pipe is written to as it is.
        text: The content.

    Raises:
        OSError: If it cannot be written.
    """
    if path.exists() and not path.is_file():
        path.write_text(text, encoding="utf-8", newline="\n")
        return
    target = path.resolve()  # for a link, its target
    beside = target.with_name(f".{target.name}.{os.getpid()}.new")
    try:
        with beside.open("w", encoding="utf-8", newline="\n") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        if target.exists():
            _like(target, beside)
        beside.replace(target)
    except OSError:
        with suppress(OSError):
            beside.unlink()
        raise


def _like(existing: Path, new: Path) -> None:
    """Give a new file the permissions of an existing one, and its owner if we may."""
    status = existing.stat()
    with suppress(OSError):
        os.chown(new, status.st_uid, status.st_gid)
    shutil.copymode(existing, new)
