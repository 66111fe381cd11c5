"""The journal of a batch: what its output is made with, so that nothing else is ever added to it, and who is writing.

It is in the file `OUTPUT.journal`: a first line that describes the batch, then a line per run. The writing process
holds a lock on it, which the system releases when the process dies. Model calls are in it, too, with a line before and
after each: see `account`.
"""

import json
import os
import socket
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter, ValidationError
from typing_extensions import TypedDict

from ...state.errors import ConfigurationError, naming
from .account import Account
from .output import Appended
from .rows import Extent, extent

FREE = frozenset(
    {
        "max_concurrency",
        "requests_per_second",
        "timeout",
        "retries",
        "cache",
        "keep_replies",
        "allow_private_addresses",
        "input_price",
        "output_price",
    }
)
"""Settings that may change when a batch is continued: they don't change the results."""
VERSION = 1


class Input(TypedDict):
    """The identity of the input."""

    bytes: int
    sha256: str
    rows: int


class Header(TypedDict):
    """What an output is made with."""

    version: int
    method: str
    settings: dict[str, Any]
    input: Input


class Writer(TypedDict):
    """The process that writes it."""

    pid: int
    host: str


class Event(TypedDict, total=False):
    """A line of a journal."""

    batch: Header
    run: Writer
    grown: Input
    dropping: dict[str, float]
    """What `dropped` will be when the records of those rows have been removed."""
    dropped: dict[str, float]
    """The usage of rows whose records were removed so that they run again."""
    call: int
    """A model call that is about to be made, by its number in the run."""
    cost: float
    """The likely cost of that call, in US dollars."""
    paid: int
    """A call that is over."""
    usage: dict[str, float]
    """The usage of that call."""


_EVENT = TypeAdapter(Event)


def binding(settings: Mapping[str, Any]) -> dict[str, Any]:
    """The settings that an output is made with."""
    return {name: value for name, value in settings.items() if name not in FREE}


class Journal:
    """The journal of an output, locked for this process until it is closed."""

    def __init__(self, output: Path) -> None:
        self.output = output
        self.path = output.with_name(output.name + ".journal")
        if not self.path.exists():
            self._check_new()  # before anything is created there
        self._file = _locked(self.path, output)
        self._lines = Appended(self.path)
        self.account = Account(self._lines.append)
        self.events: list[Event] = []
        try:
            self._read()
        except BaseException:
            self.close()
            raise

    def recounted(self) -> Account:
        """The account as recorded by now: other processes may have recorded calls in it."""
        account = Account(self._lines.append)
        with self.path.open("rb") as file:
            for line in _complete_lines(file):
                account.read(_event(line, self.path))
        return account

    def _read(self) -> None:
        size = 0
        with self.path.open("rb") as file:
            for line in _complete_lines(file):
                size += len(line)
                event = _event(line, self.path)
                self.account.read(event)
                if "call" not in event and "paid" not in event:
                    self.events.append(event)
        self._lines.cut(size)

    async def settle(self) -> None:
        """Flush recorded calls to disk, if that was not done for a while."""
        await self._lines.settle()

    def sync(self) -> None:
        """Flush recorded calls to disk. Raises DiskError if that is impossible, or if the journal was taken away."""
        self._lines.sync()

    def close(self) -> None:
        """Close the file and release the lock."""
        self._lines.close()
        os.close(self._file)

    def begin(self, method: str, settings: Mapping[str, Any], source: Path) -> Extent:
        """Check that an existing output was made with the same settings, and record that a run begins.

        Returns the extent of the input. It may have grown since: then the new rows are run too.

        Raises:
            ConfigurationError: If method, settings or input differ from those of the output.
        """
        current = extent(source)
        made_with = {"method": method, "settings": binding(settings)}
        header = next((event["batch"] for event in self.events if "batch" in event), None)
        if header is None:
            self._check_new()
            self._lines.cut(0)
            self.note(batch={"version": VERSION, **made_with, "input": current._asdict()})
        else:
            growths = [event["grown"] for event in self.events if "grown" in event]
            recorded = [header["input"], *growths][-1]
            self._check(header, recorded, made_with, source)
            if recorded != current._asdict():
                self.note(grown=current._asdict())
        self.note(run={"pid": os.getpid(), "host": socket.gethostname()})
        self.account.read(self.events[-1])
        return current

    def note(self, **event: Any) -> None:
        """Add a line, and flush it to disk.

        Raises:
            DiskError: If it cannot be written.
        """
        self._lines.append(event)
        self._lines.sync()
        self.events.append(_EVENT.validate_python(event))

    def carried(self) -> Iterator[dict[str, float]]:
        """The usage of rows whose records were removed so that they run again."""
        for event in self.events:
            if "dropped" in event:
                yield event["dropped"]

    def dropping(self) -> dict[str, float] | None:
        """The usage of rows whose records were about to be removed, if nothing says that they were."""
        about = [event for event in self.events if "dropping" in event or "dropped" in event]
        return about[-1].get("dropping") if about else None

    def _check_new(self) -> None:
        if self.output.exists() and self.output.stat().st_size:
            raise ConfigurationError(f"{self.output} exists, but no journal says what made it: name another output")

    def _check(self, header: Header, recorded: Input, made_with: Mapping[str, Any], source: Path) -> None:
        if header["method"] != made_with["method"]:
            raise ConfigurationError(
                f"{self.output} was made with the method {header['method']}, not {made_with['method']}: "
                "name another output"
            )
        check_settings(self.output, header["settings"], made_with["settings"])
        if extent(source, recorded["bytes"]).sha256 != recorded["sha256"]:
            raise ConfigurationError(
                f"{source} is not what {self.output} was made from: rows may only be added at its end; "
                "name another output"
            )


def check_settings(output: Path, recorded: Mapping[str, Any], current: Mapping[str, Any]) -> None:
    """Raise ConfigurationError, naming them, if an output was made with other settings."""
    current_json = json.loads(json.dumps(current, default=str))
    changed = sorted(
        name for name in recorded.keys() | current_json.keys() if recorded.get(name) != current_json.get(name)
    )
    if changed:
        raise ConfigurationError(
            f"{output} was made with other settings ({', '.join(changed)}): use those, or name another output"
        )


def _locked(path: Path, output: Path) -> int:
    import fcntl

    with naming(path):
        file = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(file)
        with path.open("rb") as lines:
            runs = [_event(line, path)["run"] for line in _complete_lines(lines) if line.startswith(b'{"run"')]
        writer = f"process {runs[-1]['pid']} on {runs[-1]['host']}" if runs else "another process"
        raise ConfigurationError(
            f"{output} is being written by {writer}: wait for it, or name another output"
        ) from None
    return file


def _complete_lines(lines: Iterable[bytes]) -> Iterator[bytes]:
    """The lines that were not torn by a kill, or by being read while they were written."""
    return (line for line in lines if line.endswith(b"\n"))


def _event(line: bytes, path: Path) -> Event:
    try:
        event = _EVENT.validate_json(line)
    except ValidationError:
        event = {}
    if not event:
        raise ConfigurationError(
            f"{path} has lines that are not part of a batch's journal: name another output"
        ) from None
    return event
