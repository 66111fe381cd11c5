"""The journal of a batch: what its output is made with, so that nothing else is ever added to it; and who is adding.

It stands beside the output, as `OUTPUT.journal`: a first line that says it all, then a line per run. The process that
writes holds a lock on it, which the system takes away from a process that is dead.
"""

import json
import os
import socket
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from ...state.errors import ConfigurationError
from .output import DiskError
from .rows import Extent, extent

FREE = frozenset(
    {
        "max_concurrency",
        "requests_per_second",
        "timeout",
        "retries",
        "cache",
        "allow_private_addresses",
        "input_price",
        "output_price",
    }
)
"""Settings that may differ when a batch goes on: they don't change what a row comes to."""
VERSION = 1


def binding(settings: Mapping[str, Any]) -> dict[str, Any]:
    """The settings that an output is made with."""
    return {name: value for name, value in settings.items() if name not in FREE}


class Journal:
    """The journal of an output, locked for this process until it is closed."""

    def __init__(self, output: Path) -> None:
        self.output = output
        self.path = output.with_name(output.name + ".journal")
        if not self.path.exists():
            self._check_new()  # before anything is left there
        self._file = _locked(self.path, output)
        content = self.path.read_bytes()
        os.ftruncate(self._file, content.rfind(b"\n") + 1)  # without a line that was torn
        self.events = list(_events(self.path))

    def close(self) -> None:
        os.close(self._file)

    def begin(self, method: str, settings: Mapping[str, Any], source: Path) -> Extent:
        """Check that the output, if there is one, was made with the same; note that a run begins.

        Returns the extent of the input. It may have grown since: then the new rows are run too.

        Raises:
            ConfigurationError: If method, settings or input are others than those of the output.
        """
        now = extent(source)
        made = {"method": method, "settings": binding(settings)}
        header = next((event["batch"] for event in self.events if "batch" in event), None)
        if header is None:
            self._check_new()
            os.ftruncate(self._file, 0)
            self.note(batch={"version": VERSION, **made, "input": now._asdict()})
        else:
            grown = [event["grown"] for event in self.events if "grown" in event]
            self._check({**header, "input": [header["input"], *grown][-1]}, made, source)
            if [header["input"], *grown][-1] != now._asdict():
                self.note(grown=now._asdict())
        self.note(run={"pid": os.getpid(), "host": socket.gethostname()})
        return now

    def note(self, **event: Any) -> None:
        """Add a line.

        Raises:
            DiskError: If it cannot be written.
        """
        try:
            os.write(self._file, json.dumps(event, ensure_ascii=False, default=str).encode() + b"\n")
            os.fsync(self._file)
        except OSError as error:
            raise DiskError(f"{self.path}: {error.strerror or error}: make room, then give the same command") from None
        self.events.append(event)

    def carried(self) -> Iterator[dict[str, float]]:
        """What rows used whose records were dropped, to be run again."""
        for event in self.events:
            if "dropped" in event:
                yield event["dropped"]

    def _check_new(self) -> None:
        if self.output.exists() and self.output.stat().st_size:
            raise ConfigurationError(f"{self.output} exists and no journal tells what made it: name another output")

    def _check(self, header: Mapping[str, Any], made: Mapping[str, Any], source: Path) -> None:
        if header["method"] != made["method"]:
            raise ConfigurationError(
                f"{self.output} was made with the method {header['method']}, not {made['method']}: name another output"
            )
        check_settings(self.output, header["settings"], made["settings"])
        before = header["input"]
        if extent(source, before["bytes"]).sha256 != before["sha256"]:
            raise ConfigurationError(
                f"{source} is not what {self.output} was made from: rows may be added at its end, no others changed; "
                "name another output"
            )


def check_settings(output: Path, was: Mapping[str, Any], now: Mapping[str, Any]) -> None:
    """Raise ConfigurationError, naming them, if an output was made with other settings than those of now."""
    is_now = json.loads(json.dumps(now, default=str))
    changed = sorted(name for name in was.keys() | is_now.keys() if was.get(name) != is_now.get(name))
    if changed:
        raise ConfigurationError(
            f"{output} was made with other settings ({', '.join(changed)}): use those, or name another output"
        )


def _locked(path: Path, output: Path) -> int:
    import fcntl

    try:
        file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o644)
    except OSError as error:
        raise ConfigurationError(f"{path}: {error.strerror or error}") from None
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(file)
        runs = [event["run"] for event in _events(path) if "run" in event]
        who = f"process {runs[-1]['pid']} on {runs[-1]['host']}" if runs else "another process"
        raise ConfigurationError(f"{output} is being written by {who}: wait for it, or name another output") from None
    return file


def _events(path: Path) -> Iterator[dict[str, Any]]:
    """The lines that are whole."""
    for line in path.read_bytes().splitlines():
        with suppress(ValueError):
            event = json.loads(line)
            if isinstance(event, dict):
                yield event
