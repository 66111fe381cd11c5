"""One process in the sandbox: started, fed, listened to within bounds, and ended with all that belongs to it."""

import os
import selectors
import signal
import subprocess
import threading
import time
from dataclasses import dataclass, field

from .execution import SandboxError
from .seccomp import syscall_filter
from .walls import command

START = 20.0
"""Seconds until a sandbox must have started; on a crowded machine that takes a while."""
END = 5.0
"""Seconds until a process that was killed must be gone."""
READY = b"ready\n"
CHUNK = 1 << 16


@dataclass
class Ended:
    """How a program ended."""

    output: bytes
    result: bytes
    """What came through the channel for the result. The program can write there: it is to be judged, not trusted."""
    status: int
    """Exit status as a shell gives it: 128 and the number of the signal, if one ended it."""
    in_time: bool
    seconds: float


@dataclass
class _Pipe:
    """A pipe that is read to its end, though no more than `size` bytes of it are kept."""

    size: int
    data: bytearray = field(default_factory=bytearray)

    def take(self, chunk: bytes) -> None:
        self.data += chunk[: self.size - len(self.data)]


class Child:
    """A run of `inside.py`. `run` blocks; `kill` may be called from another thread, at any time."""

    def __init__(self, job: bytes, *, seconds: float, output_size: int, result_size: int) -> None:
        self._job = job
        self._seconds = seconds
        self._output = _Pipe(output_size)
        self._result = _Pipe(len(READY) + result_size)
        self._process: subprocess.Popen[bytes] | None = None
        self._lock = threading.Lock()
        self._unwanted = False

    def run(self) -> Ended:
        """Start it, and wait until it ends or its time is up."""
        process = self._start()
        try:
            return self._watch(process)
        finally:
            self.kill()
            process.wait(END)
            for pipe in (process.stdout, process.stderr):
                if pipe:
                    pipe.close()

    def kill(self) -> None:
        """End it now, or keep it from starting.

        The process that is killed is the sandbox; all that is inside dies with it, because the kernel ends a process
        namespace with its first process.
        """
        with self._lock:
            self._unwanted = True
            if self._process and self._process.poll() is None:
                self._process.kill()

    def _start(self) -> "subprocess.Popen[bytes]":
        filter_fd = os.memfd_create("filter")
        try:
            os.write(filter_fd, syscall_filter())
            os.lseek(filter_fd, 0, os.SEEK_SET)
            arguments = command(filter_fd)
            with self._lock:
                if self._unwanted:
                    raise SandboxError("the run was called off")
                self._process = subprocess.Popen(
                    arguments,
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.PIPE,
                    pass_fds=(filter_fd,),
                    env={},
                    cwd="/",
                    start_new_session=True,
                )
                return self._process
        except OSError as error:
            raise SandboxError(f"the sandbox did not start: {error}") from error
        finally:
            os.close(filter_fd)
