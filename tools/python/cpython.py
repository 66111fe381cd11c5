"""Running programs in an isolated CPython: a process that sees no files, no network and no other process.

It is for what Monty lacks. If the isolation does not hold, nothing is run.
"""

import asyncio
import json
import math
import os
import signal
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, ClassVar

from ...state.errors import ConfigurationError
from .child import Child, Ended
from .execution import (
    MAX_MESSAGE,
    MAX_NAME,
    MAX_OUTPUT,
    MAX_VALUE,
    Execution,
    Interpreter,
    ProgramError,
    SandboxError,
    described,
    executed,
    failed,
    ran_too_long,
    used_too_much,
)
from .walls import INSTALL, PACKAGES_AT, SCRATCH

MAX_BYTES = 4
"""The most bytes of a UTF-8 character."""
MAX_RESULT = 12 * (MAX_VALUE + MAX_MESSAGE + MAX_NAME)
"""The most bytes read of a result: in JSON a character takes up to twelve."""

# What must be refused if the isolation is to hold. Each refused attempt leaves its name in `answer`.
_PROBE = """
import os, socket
def network(): socket.socket()
def files(): open("/etc/passwd")
def other_files(): open(os.__file__, "a")
def new_files(): open("/new", "w")
def processes(): os._exit(0) if os.fork() == 0 else None
def privileges(): os.setuid(0)
def environment(): os.environ["HOME"]
held = []
for attempt in network, files, other_files, new_files, processes, privileges, environment:
    try: attempt()
    except (OSError, KeyError): held.append(attempt.__name__)
answer = " ".join(held)
"""
_REFUSED = "network files other_files new_files processes privileges environment"


@dataclass(frozen=True)
class CPythonInterpreter(Interpreter):
    """CPython in bubblewrap, with a fresh process for every program."""

    name: ClassVar[str] = "cpython"

    seconds: float
    memory_mb: int

    async def run(self, code: str) -> Execution:
        """Run a program; the first time, after a test of the sandbox. Raises ConfigurationError if it fails."""
        if not _Walls.hold:
            await _examine()
        return await self.run_unexamined(code)

    async def run_unexamined(self, code: str) -> Execution:
        """Run a program in a sandbox that has not been tested yet."""
        child = Child(
            self._job(code), seconds=self.seconds, keep_output=MAX_BYTES * (MAX_OUTPUT + 1), keep_result=MAX_RESULT
        )
        try:
            ended = await asyncio.get_running_loop().run_in_executor(_Walls.threads, child.run)
        finally:
            child.kill()  # the caller may have been cancelled
        outcome = _parsed(ended.result)
        error = self._error(ended, outcome)
        value, type = ("", "") if error else (outcome["value"], outcome["type"])
        output = ended.output.decode(errors="replace")
        return executed(self.name, value=value, type=type, output=output, error=error, seconds=ended.seconds)

    def _job(self, code: str) -> bytes:
        limits = {
            "RLIMIT_AS": self.memory_mb << 20,
            "RLIMIT_CPU": math.ceil(self.seconds) + 1,
            "RLIMIT_FSIZE": SCRATCH,
            "RLIMIT_NOFILE": 32,
            "RLIMIT_NPROC": 64,
            "RLIMIT_CORE": 0,
        }
        job = {"code": code, "size": MAX_VALUE + 1, "packages": PACKAGES_AT, "limits": limits}
        return json.dumps(job).encode()

    def _error(self, ended: Ended, outcome: dict[str, Any]) -> ProgramError | None:
        """What went wrong, as far as the program, or what remains of it, reports."""
        if not ended.in_time or ended.status == 128 + signal.SIGXCPU:
            return ran_too_long(self.seconds)
        if error := outcome.get("error"):
            if error["type"] == "MemoryError" and not error["message"]:
                return {**used_too_much(self.memory_mb), "line": error["line"]}
            return failed(error["type"], error["message"], error["line"])
        if outcome:
            return None
        if ended.status > 128:
            return failed("SystemError", f"the program crashed the interpreter ({_signal(ended.status - 128)})")
        return failed("SystemExit", "the program ended before there was a result")


def _parsed(result: bytes) -> dict[str, Any]:
    """A result, if it has the form of one: the program can write what it likes there."""
    try:
        record = json.loads(result)
    except (ValueError, RecursionError):
        return {}
    match record:
        case {"type": str(type), "value": str(value)}:
            return {"type": type, "value": value}
        case {"error": {"type": str(type), "message": str(message), "line": int() | None as line}}:
            return {"error": {"type": type, "message": message, "line": line}}
    return {}


def _signal(number: int) -> str:
    return signal.Signals(number).name if number in set(signal.Signals) else f"signal {number}"


class _Walls:
    """What this process knows and keeps about the sandbox."""

    hold = False
    threads: ThreadPoolExecutor
    """As many programs run at once as there are processors: more would only slow each other down."""

    @classmethod
    def renew(cls) -> None:
        cls.threads = ThreadPoolExecutor(os.cpu_count() or 1, thread_name_prefix="errata-sandbox")


_Walls.renew()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_Walls.renew)


async def _examine() -> None:
    """Test once, by attacking the sandbox, whether the isolation holds."""
    try:
        probe = await CPythonInterpreter(seconds=10, memory_mb=512).run_unexamined(_PROBE)
    except SandboxError as error:
        raise ConfigurationError(f"programs cannot be isolated here ({error}): {INSTALL}") from error
    if probe["value"] != _REFUSED:
        problem = probe["error"]
        observation = described(problem) if problem else f"only this was refused: {probe['value'] or 'nothing'}"
        raise ConfigurationError(f"programs cannot be isolated here ({observation}): {INSTALL}")
    _Walls.hold = True
