"""One process in the sandbox: started, read within bounds, and ended with everything that belongs to it."""

import contextlib
import fcntl
import os
import selectors
import signal
import subprocess
import threading
import time
from dataclasses import dataclass
from typing import IO

from .execution import SandboxError
from .seccomp import syscall_filter
from .walls import command

START = 20.0
"""Seconds within which a sandbox must start; on a busy machine that takes a while."""
END = 2.0
"""Seconds until a sandbox is killed itself after the process inside it was killed."""
READY = b"ready\n"
CHUNK = 1 << 16
_SEALS = 0x1 | 0x2 | 0x4 | 0x8
"""Neither the size nor the contents nor the seals themselves can be changed."""


@dataclass
class Ended:
    """How a program ended."""

    output: bytes
    result: bytes
    """What came through the result channel. The program can write there, so it is not trusted."""
    status: int
    """Exit status as a shell gives it: 128 plus the number of the signal, if one ended it."""
    in_time: bool
    seconds: float


class Child:
    """A run of `inside.py`. `run` blocks; `kill` may be called from another thread at any time."""

    def __init__(self, job: bytes, *, seconds: float, keep_output: int, keep_result: int) -> None:
        self._job = job
        self._seconds = seconds
        self._output = _Kept(keep_output)
        self._result = _Kept(len(READY) + keep_result)
        self._process: subprocess.Popen[bytes] | None = None
        self._lock = threading.Lock()
        self._unwanted = False

    def run(self) -> Ended:
        """Start it, and wait until it ends or its time is up."""
        with self._start() as process:
            try:
                started, in_time = self._listen(process)
                seconds = time.monotonic() - started
            finally:
                self.kill()
                status = _end(process)
        if not self._started():
            raise SandboxError(f"the sandbox did not start: {self._result.text() or f'no answer in {START:g} s'}")
        return Ended(bytes(self._output.data), bytes(self._result.data[len(READY) :]), status, in_time, seconds)

    def kill(self) -> None:
        """End it now, or keep it from starting.

        The kernel ends a process namespace with its first process, so nothing inside outlives that one. It is killed
        instead of bwrap, its parent, which then reaps it; otherwise a zombie might remain.
        """
        with self._lock:
            self._unwanted = True
            if self._process and self._process.poll() is None:
                for process in _children(self._process.pid) or [self._process.pid]:
                    with contextlib.suppress(ProcessLookupError):
                        os.kill(process, signal.SIGKILL)

    def _start(self) -> "subprocess.Popen[bytes]":
        syscalls = _sealed(syscall_filter())
        job = _sealed(self._job)
        try:
            arguments = command(syscalls)
            with self._lock:
                if self._unwanted:
                    raise SandboxError("the run was cancelled")
                self._process = subprocess.Popen(
                    arguments,
                    stdin=job,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.PIPE,
                    pass_fds=[syscalls],
                    env={},
                    cwd="/",
                    start_new_session=True,
                )
                return self._process
        except OSError as error:
            raise SandboxError(f"the sandbox did not start: {error}") from error
        finally:
            os.close(job)
            os.close(syscalls)

    def _listen(self, process: "subprocess.Popen[bytes]") -> tuple[float, bool]:
        """Read until both pipes end; returns when the program was started, and whether it ended in time."""
        started, running = time.monotonic(), False
        deadline = started + START
        with selectors.DefaultSelector() as pipes:
            _watch(pipes, process.stdout, self._output)
            _watch(pipes, process.stderr, self._result)
            while pipes.get_map():
                remaining = deadline - time.monotonic()
                if remaining <= 0:
                    return started, False
                for key, _ in pipes.select(remaining):
                    chunk = os.read(key.fd, CHUNK)
                    key.data.take(chunk)
                    if not chunk:
                        pipes.unregister(key.fileobj)
                if not running and self._started():
                    started, running = time.monotonic(), True
                    deadline = started + self._seconds
        return started, True

    def _started(self) -> bool:
        return self._result.data.startswith(READY)


def _children(process: int) -> list[int]:
    try:
        with open(f"/proc/{process}/task/{process}/children") as children:
            return [int(child) for child in children.read().split()]
    except OSError:
        return []


def _end(process: "subprocess.Popen[bytes]") -> int:
    try:
        return process.wait(END)
    except subprocess.TimeoutExpired:
        process.kill()
        return process.wait()


class _Kept:
    """The beginning of a pipe's output; the rest is read and dropped, so that the pipe never fills."""

    def __init__(self, size: int) -> None:
        self.size = size
        self.data = bytearray()

    def take(self, chunk: bytes) -> None:
        self.data += chunk[: self.size - len(self.data)]

    def text(self) -> str:
        return self.data.decode(errors="replace").strip()


def _watch(pipes: selectors.BaseSelector, pipe: IO[bytes] | None, sink: _Kept) -> None:
    if pipe:
        pipes.register(pipe, selectors.EVENT_READ, sink)


def _sealed(data: bytes) -> int:
    """A file in memory that holds the data and cannot be changed any more."""
    descriptor = os.memfd_create("errata", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
    os.write(descriptor, data)
    os.lseek(descriptor, 0, os.SEEK_SET)
    fcntl.fcntl(descriptor, fcntl.F_ADD_SEALS, _SEALS)
    return descriptor
