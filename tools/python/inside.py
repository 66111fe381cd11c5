"""Runs one program. This file is started on its own inside the sandbox and imports nothing of errata.

The job comes on standard input; the program's output goes to standard output; the line `ready` and then the result as
JSON go to the original standard error. The program can write there too, but can only falsify its own result.
"""

import ast
import contextlib
import io
import json
import os
import resource
import sys
from types import TracebackType
from typing import Any

PROGRAM = "<program>"


def main() -> None:
    """Take the job, give up everything that it does not need, run it, and end without waiting for its threads."""
    job = json.loads(sys.stdin.buffer.read())
    channel = os.dup(2)
    os.dup2(os.open("/dev/null", os.O_WRONLY), 2)
    os.environ["OPENBLAS_NUM_THREADS"] = os.environ["OMP_NUM_THREADS"] = "1"
    sys.path.append(job["packages"])
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(line_buffering=True)  # so that a program that is killed leaves what it printed
    _limit(job["limits"])
    os.write(channel, b"ready\n")
    spare: list[bytes] = [bytes(1 << 20)]
    result = _run(job["code"], job["size"], spare)
    _flush()
    data = memoryview(json.dumps(result).encode())
    while data:
        data = data[os.write(channel, data) :]
    os._exit(0)


def _limit(limits: dict[str, int]) -> None:
    """Lower the limits of this process permanently: without privileges none can be raised again."""
    for name, limit in limits.items():
        number = getattr(resource, name)
        hard = resource.getrlimit(number)[1]
        limit = limit if hard == resource.RLIM_INFINITY else min(limit, hard)
        resource.setrlimit(number, (limit, limit))


def _run(code: str, size: int, spare: list[bytes]) -> dict[str, Any]:
    """Type and text of the program's value, or its error."""
    try:
        return _result_of(_value(code), size)
    except BaseException as error:
        spare.clear()  # there may be no memory left to say so
        return _explained(error, size)


def _value(code: str) -> Any:
    """The variable `answer` or, without one, the value of a last line that is an expression."""
    names: dict[str, Any] = {"__name__": "__main__", "exit": sys.exit, "quit": sys.exit}
    tree = ast.parse(code, PROGRAM)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, PROGRAM, "exec"), names)  # noqa: S102  this is the inside of the sandbox
    value = None
    if isinstance(last, ast.Expr):
        value = eval(compile(ast.Expression(last.value), PROGRAM, "eval"), names)  # noqa: S307  and so is this
    return names.get("answer", _Nothing if value is None else value)


class _Nothing:
    """The absence of a value."""


def _result_of(value: Any, size: int) -> dict[str, Any]:
    if value is _Nothing:
        return {"type": "", "value": ""}
    return {"type": type(value).__name__[:size], "value": str(value)[:size]}


def _explained(error: BaseException, size: int) -> dict[str, Any]:
    try:
        message = error.msg if isinstance(error, SyntaxError) else str(error)
        line = error.lineno if isinstance(error, SyntaxError) and error.filename == PROGRAM else None
    except BaseException:
        message, line = "", None
    return {"error": {"type": type(error).__name__, "message": message[:size], "line": line or _line(error)}}


def _line(error: BaseException) -> int | None:
    """The innermost line that is the program's."""
    line, trace = None, error.__traceback__
    while isinstance(trace, TracebackType):
        if trace.tb_frame.f_code.co_filename == PROGRAM:
            line = trace.tb_lineno
        trace = trace.tb_next
    return line


def _flush() -> None:
    with contextlib.suppress(BaseException):  # the program may have closed or replaced it
        sys.stdout.flush()


if __name__ == "__main__":
    main()
