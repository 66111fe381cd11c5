"""Running programs in CPython behind bubblewrap, for what Monty lacks.

A program gets a process of its own without network, environment and other processes. It sees the C library and this
Python with its packages, read-only, and writes to a small folder in memory. Where bubblewrap cannot do that, nothing is
run.
"""

import asyncio
import json
import math
import os
import random
import shutil
import sys
import sysconfig
import time
from asyncio.subprocess import PIPE
from contextlib import AsyncExitStack, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ...state.errors import ConfigurationError
from ...state.runs.loops import shared
from ..search import one_line
from .execution import (
    MAX_VALUE,
    Execution,
    Interpreter,
    SandboxError,
    executed,
    failed,
    ran_too_long,
    used_too_much,
)

INSTALL = "install bubblewrap 0.8 or newer (Debian: `apt install bubblewrap`), or leave `allow_cpython` off"
START = 20.0
"""Seconds within which a sandbox must start; on a busy machine that takes a while."""
PROCESSES = 4
"""The most processes and threads of a program, as each may use the memory that is allowed."""
SCRATCH = 16 << 20
"""The most bytes of files that a program can keep, in memory, in /tmp."""
READY = b"ready\n"
CUT_OFF = 128 + 24
"""The status of a program that used its time up (SIGXCPU)."""
MOST = 1 << 16
"""The most bytes that are kept of what a program prints and of its result, of which fewer characters are used."""

_OF_USER = ["--unshare-all", "--unshare-user", "--disable-userns"]
_OF_ROOT = "--unshare-ipc --unshare-pid --unshare-net --unshare-uts --unshare-cgroup-try".split()
_OF_ROOT += "--cap-add CAP_SETUID --cap-add CAP_SETGID".split()
"""Root does not become root of a sandbox of its own users, but another user, whose processes are counted."""
_LIMITS = {"RLIMIT_FSIZE": SCRATCH, "RLIMIT_NPROC": PROCESSES, "RLIMIT_NOFILE": 32, "RLIMIT_CORE": 0}
_PACKAGES = {"purelib": "/packages/pure", "platlib": "/packages/plat"}
_ENVIRONMENT = {"OPENBLAS_NUM_THREADS": "1", "LD_LIBRARY_PATH": "/python/lib"}


@dataclass(frozen=True)
class CPythonInterpreter(Interpreter):
    """CPython in bubblewrap, with a fresh sandbox for every program. ConfigurationError if bubblewrap is missing."""

    seconds: float
    memory_mb: int
    name: str = "cpython"
    command: list[str] = field(default_factory=lambda: _command(), repr=False)

    async def run(self, code: str) -> Execution:
        """Run a program. Raises ConfigurationError if it cannot be isolated here."""
        async with shared(CPythonInterpreter, _turns) as turns, turns:
            sandbox = await asyncio.create_subprocess_exec(
                *self.command, stdin=PIPE, stdout=PIPE, stderr=PIPE, env=_ENVIRONMENT, cwd="/"
            )
            try:
                return await self._run_in(sandbox, code)
            finally:
                with suppress(ProcessLookupError):
                    sandbox.kill()  # all within dies with it
                await sandbox.communicate()

    async def _run_in(self, sandbox: Any, code: str) -> Execution:
        started, output, result, status = 0.0, bytearray(), bytearray(), 0
        try:
            async with asyncio.timeout(START) as patience:
                sandbox.stdin.write(self._job(code))
                sandbox.stdin.close()
                if (first := await sandbox.stderr.readline()) != READY:
                    reason = one_line((first + await sandbox.stderr.read()).decode(errors="replace"), 300)
                    raise ConfigurationError(f"programs cannot be isolated here ({reason or 'no reason'}): {INSTALL}")
                started = time.perf_counter()
                patience.reschedule(asyncio.get_running_loop().time() + self.seconds)
                async with asyncio.TaskGroup() as reading:
                    reading.create_task(_keep(sandbox.stdout, output))
                    reading.create_task(_keep(sandbox.stderr, result))
                status = await sandbox.wait()
        except TimeoutError as error:
            if not started:
                raise SandboxError(f"the sandbox did not start within {START:g} s") from error
            status = CUT_OFF
        seconds, printed = time.perf_counter() - started, output.decode(errors="replace")
        return executed(self.name, output=printed, seconds=seconds, **self._outcome(status, bytes(result)))

    def _job(self, code: str) -> bytes:
        limits = {**_LIMITS, "RLIMIT_AS": self.memory_mb << 20, "RLIMIT_CPU": math.ceil(self.seconds) + 1}
        # The system counts the processes of every user but root. So each of root's programs gets a user of its own.
        user = random.randrange(1_900_000_000, 2_100_000_000) if _is_root() else 0
        job = {"code": code, "size": MAX_VALUE + 1, "packages": [*_PACKAGES.values()], "limits": limits, "user": user}
        return json.dumps(job).encode()

    def _outcome(self, status: int, result: bytes) -> dict[str, Any]:
        """The value or the error of a program, as it, or what remains of it, reports; it may report what it likes."""
        reported: Any = None
        with suppress(ValueError, RecursionError):
            reported = json.loads(result)
        error = failed("SystemExit", f"the program ended its interpreter before there was a result (status {status})")
        match reported:
            case _ if status == CUT_OFF:
                error = ran_too_long(self.seconds)
            case {"type": str(type), "value": str(value)}:
                return {"type": type, "value": value}
            case {"error": "MemoryError", "message": "", "line": int() | None as line}:
                error = {**used_too_much(self.memory_mb), "line": line}
            case {"error": str(type), "message": str(message), "line": int() | None as line}:
                error = failed(type, message, line)
        return {"error": error}


async def _keep(pipe: asyncio.StreamReader, kept: bytearray) -> None:
    """Keep the beginning of a pipe's output; the rest is read and dropped, so that the pipe never fills."""
    while chunk := await pipe.read(1 << 16):
        kept += chunk[: MOST - len(kept)]


async def _turns(stack: AsyncExitStack) -> asyncio.Semaphore:
    """As many programs run at once as there are processors: more would only slow each other down."""
    return asyncio.Semaphore(os.cpu_count() or 1)


def _command() -> list[str]:
    """The command that runs this interpreter in a sandbox, where it has an address of its own."""
    bwrap = shutil.which("bwrap")
    if not bwrap:
        raise ConfigurationError(f"programs cannot be isolated here: {INSTALL}")
    own = Path(sys.executable).resolve()  # inside there is no virtual environment
    python = f"/python/bin/{own.name}"
    shown = {python: own, "/runner.py": Path(__file__).with_name("runner.py")}
    shown |= {f"/python/{name}": Path(sys.base_prefix, name) for name in ("lib", sys.platlibdir)}
    shown |= {path: Path(sysconfig.get_path(name)) for name, path in _PACKAGES.items()}
    command = [bwrap, "--new-session", "--die-with-parent", "--cap-drop", "ALL"]
    command += _OF_ROOT if _is_root() else _OF_USER
    command += ["--size", str(SCRATCH), "--perms", "1777", "--tmpfs", "/tmp", "--dev-bind", "/dev/null", "/dev/null"]
    for path in ("/usr", "/etc", "/python", "/python/bin", "/packages"):
        command += ["--perms", "0755", "--dir", path]
    for path in ("/lib", "/lib64", "/usr/lib", "/usr/lib64", "/etc/ld.so.cache"):
        linked = os.path.islink(path)
        command += ["--symlink", os.readlink(path), path] if linked else ["--ro-bind-try", path, path]
    for path, source in shown.items():
        command += ["--ro-bind-try", str(source), path]
    return [*command, "--remount-ro", "/", "--chdir", "/tmp", python, *"-I -S -B -X utf8 /runner.py".split()]


def _is_root() -> bool:
    """Whether this is the machine's root, not that of a container with users of its own."""
    return os.geteuid() == 0 and Path("/proc/self/uid_map").read_text().split() == ["0", "0", "4294967295"]
