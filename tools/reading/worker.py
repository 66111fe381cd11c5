"""The process that parses untrusted bytes: it takes one call after another, within limits set by the system.

Nothing that is parsed can hold it up: the timer and the end of the parent kill the process from outside Python.
"""

import json
import os
import signal
from importlib import import_module
from typing import Any, BinaryIO

from .documents import Unreadable

MAX_REPLY = 64 * 2**20
"""The most bytes of a result."""
IDLE = 60.0
"""Seconds without a call after which a worker exits."""
READY = b"ready\n"


def main(memory: int) -> None:
    """Answer calls from standard input on standard output, until there are no more or the worker should be replaced.

    A call is a line of JSON and, after it, as many bytes of data as the line says. An answer is a line of JSON.

    Args:
        memory: Bytes that the process may take.
    """
    calls, replies = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    silence = os.open(os.devnull, os.O_RDWR)
    for standard in (0, 1, 2):  # a parser may print
        os.dup2(silence, standard)
    _limit(memory)
    replies.write(READY)
    replies.flush()
    # A worker that has grown exits: the next document might otherwise run out of memory through no fault of its own.
    while _taken() < memory / 3 and _has_call(calls) and (line := calls.readline()):
        call = json.loads(line)
        data = calls.read(call["size"])
        if len(data) < call["size"]:
            break
        _bounded(replies, call["seconds"])
        answer = _answer(call["function"], data, call["arguments"], memory)
        _bounded(replies, 0)
        replies.write(answer + b"\n")
        replies.flush()


def _answer(function: str, data: bytes, arguments: list[Any], memory: int) -> bytes:
    """The result of a function, or why there is none."""
    module, _, name = function.partition(":")
    try:
        result = {"result": getattr(import_module(module), name)(data, *arguments)}
        answer = json.dumps(result, ensure_ascii=False).encode("utf-8", "surrogatepass")
    except (Unreadable, MemoryError) as error:
        # Parsers report a lack of memory in many ways; the memory taken is a sign, too.
        ran_out = any(isinstance(each, MemoryError) for each in (error, error.__cause__)) or _taken() > memory * 0.8
        return json.dumps({"lacks_memory" if ran_out else "unreadable": str(error)}).encode()
    return answer if len(answer) < MAX_REPLY else json.dumps({"too_long": True}).encode()


def _limit(memory: int) -> None:
    try:
        import resource
    except ImportError:  # not on Windows, where the parent's clock is the only limit
        return
    for kind, most in ((resource.RLIMIT_DATA, memory), (resource.RLIMIT_CORE, 0)):
        _, hard = resource.getrlimit(kind)
        resource.setrlimit(kind, (most if hard == resource.RLIM_INFINITY else min(most, hard), hard))


def _taken() -> float:
    """The most bytes that this process has taken so far; 0 if unknown.

    Not from `getrusage`, which also counts what the parent had taken when it started this process.
    """
    try:
        with open("/proc/self/status", encoding="ascii") as status:
            return next(float(line.split()[1]) * 2**10 for line in status if line.startswith("VmHWM:"))
    except (OSError, StopIteration):
        return 0


def _has_call(calls: BinaryIO) -> bool:
    """Wait for the next call, or for the parent's end."""
    import select

    return os.name == "nt" or bool(select.select([calls], [], [], IDLE)[0])


def _bounded(replies: BinaryIO, seconds: float) -> None:
    """Make the system end this process after this much processor time, or with its parent; 0 lifts both limits."""
    if os.name == "nt":
        return
    import fcntl

    signal.setitimer(signal.ITIMER_PROF, seconds)
    # With the parent the other end of the pipe closes. That sends SIGIO, which ends a process that does not handle it.
    # Not the pipe of the calls: its signal for a call may come after the call has been read.
    fcntl.fcntl(replies, fcntl.F_SETOWN, os.getpid())
    flags = fcntl.fcntl(replies, fcntl.F_GETFL) & ~os.O_ASYNC
    fcntl.fcntl(replies, fcntl.F_SETFL, flags | (os.O_ASYNC if seconds else 0))
