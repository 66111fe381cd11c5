"""The output of a batch: one JSON line per finished row, in the order in which they finish.

A line is written at once and handed to the operating system immediately, so a killed process loses no finished row. It
is flushed to disk once a second, so a power cut costs at most the last second. A torn line is cut off when the file is
opened again: its row was not finished.
"""

import asyncio
import json
import os
import time
from array import array
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from ...state.errors import ConfigurationError, ErrataError, naming
from .ledger import STATUSES, Record

SYNC_EVERY = 1.0
"""In seconds."""


class DiskError(ErrataError):
    """The output cannot be written. What was written before is complete."""


BESIDE = ("line", "id", "outcome", "error", "row")
"""What a line holds besides the fields of the result."""


def flat(record: Record) -> dict[str, Any]:
    """The form of a record in a line: the fields of the result beside those of the row.

    `outcome` is how the row ended, because a result has its own `status`.
    """
    beside = dict(zip(BESIDE, (record[name] for name in ("line", "id", "status", "error", "row")), strict=True))
    return beside | (record["result"] or {}) | beside


def unflat(line: Any) -> Record:
    """The record of a line. Raises KeyError, TypeError or AttributeError if it is not one."""
    return Record(
        line=line["line"],
        id=line["id"],
        status=line["outcome"],
        error=line["error"],
        row=line["row"],
        result={name: value for name, value in line.items() if name not in BESIDE} or None,
    )


class Appended:
    """A file of JSON lines, open for appending. Raises ConfigurationError if it cannot be opened."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._synced = time.monotonic()
        self._dirty = False
        self._open()

    def _open(self) -> None:
        with naming(self.path):
            self._file = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o644)
        self._end = os.fstat(self._file).st_size

    def close(self) -> None:
        """Write everything to disk if the disk allows it, and close the file."""
        with suppress(DiskError):
            self.sync()
        os.close(self._file)

    def append(self, line: Mapping[str, Any]) -> None:
        """Add a line.

        Raises:
            DiskError: If the line cannot be written; the file is then as before.
        """
        self.write(as_line(line))

    def write(self, line: bytes) -> None:
        """Add bytes as they are. Raises as `append` does."""
        try:
            count = os.write(self._file, line)
            while count < len(line):  # a full disk takes a part, and refuses the rest
                count += os.write(self._file, line[count:])
        except OSError as error:
            self.cut(self._end)
            raise disk_error(self.path, error) from None
        self._end += len(line)
        self._dirty = True

    async def settle(self) -> None:
        """Flush appended lines to disk, if that was not done for a while."""
        if self._dirty and time.monotonic() - self._synced >= SYNC_EVERY:
            self._synced = time.monotonic()
            await asyncio.to_thread(self.sync)

    def sync(self) -> None:
        """Flush appended lines to disk.

        Raises:
            DiskError: If the disk does not accept it, or if the file has been taken away: nobody would find the lines.
        """
        self._check_there()
        if self._dirty:
            self._dirty = False
            try:
                os.fsync(self._file)
            except OSError as error:
                raise disk_error(self.path, error) from None

    def _check_there(self) -> None:
        """Raise DiskError unless the open file is the one at the path: a deleted file takes lines, and keeps none."""
        with suppress(OSError):
            if os.path.samestat(os.fstat(self._file), os.stat(self.path)):
                return
        raise DiskError(
            f"{self.path} was moved, deleted or replaced while it was written. If you have it, put it back; "
            "then run the same command again to continue"
        )

    def cut(self, size: int) -> None:
        """Keep only the first `size` bytes of the file."""
        os.ftruncate(self._file, size)
        self._end = size


class Output(Appended):
    """The records of a batch."""

    def records(self) -> Iterator[Record]:
        """The records in the file, one line at a time. A torn last line is cut off.

        Raises:
            ConfigurationError: If any other line is not a record.
        """
        for number, offset, line in _lines(self.path):
            record = _record(line)
            if record is None and offset + len(line) < self._end:
                raise ConfigurationError(f"{self.path}: line {number} is not a record of a batch: name another output")
            if record is None or not line.endswith(b"\n"):
                self.cut(offset)
                return
            yield record

    def add(self, record: Record) -> None:
        """Add a record. Raises as `append` does."""
        self.append(flat(record))

    def rewrite(self, keep: Callable[[Record], bool] = lambda record: True, *, ordered: bool = False) -> None:
        """Replace the file with one that holds some of its records, or all of them in the order of the input.

        The new file is complete before it replaces the old one.

        Raises:
            DiskError: If it cannot be written; then the old one stays.
        """
        self._check_there()
        places = array("q")
        lengths = array("q")
        numbers = array("q")
        beside = self.path.with_name(self.path.name + ".new")
        try:
            for _, offset, line in _lines(self.path):
                record = _record(line)
                if record and keep(record):
                    places.append(offset)
                    lengths.append(len(line))
                    numbers.append(record["line"])
            order = sorted(range(len(numbers)), key=numbers.__getitem__) if ordered else range(len(numbers))
            with self.path.open("rb") as old, beside.open("wb") as new:
                for place in order:
                    old.seek(places[place])
                    new.write(old.read(lengths[place]))
                new.flush()
                os.fsync(new.fileno())
            os.replace(beside, self.path)
        except OSError as error:
            with suppress(OSError):
                beside.unlink()
            raise disk_error(self.path, error) from None
        os.close(self._file)
        self._open()


def as_line(record: Mapping[str, Any]) -> bytes:
    """A line of JSON. Characters that UTF-8 cannot hold are escaped."""
    text = json.dumps(record, ensure_ascii=False, default=str)
    try:
        return text.encode() + b"\n"
    except UnicodeEncodeError:
        return json.dumps(record, default=str).encode() + b"\n"


def read_records(path: Path) -> Iterator[Record]:
    """The records of an output file that is not being written. Raises ConfigurationError for anything else."""
    with naming(path):
        for number, _, line in _lines(path):
            record = _record(line)
            if record is None:
                raise ConfigurationError(f"{path}: line {number} is not a record of a batch")
            yield record


def _lines(path: Path) -> Iterator[tuple[int, int, bytes]]:
    """The number, offset and content of each line."""
    offset = 0
    with path.open("rb") as file:
        for number, line in enumerate(file, start=1):
            yield number, offset, line
            offset += len(line)


def _record(line: bytes) -> Record | None:
    try:
        record = unflat(json.loads(line))
        is_complete = record["status"] in STATUSES and record["line"] > 0
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return None
    return record if is_complete else None


def disk_error(path: Path, error: OSError) -> DiskError:
    """The error for a file that could not be written."""
    why = error.strerror or str(error)
    return DiskError(
        f"{path}: {why}. The rows written so far are complete; make room, then run the same command again to continue"
    )


def check_output(path: Path) -> None:
    """Raise ConfigurationError for an output that could not be read again to continue it: a device, a pipe."""
    if str(path) == "-":
        raise ConfigurationError("the output cannot be standard output, because it could not be continued: name a file")
    with naming(path):
        if path.is_dir() or not path.parent.is_dir():
            raise ConfigurationError(f"{path}: name a file in a folder that exists")
        if path.exists() and not path.is_file():
            raise ConfigurationError(f"{path} is a device or a pipe, which cannot be read again: name a file")
