"""Runs one program. This file is started on its own inside the sandbox and imports nothing of errata.

The job comes on standard input; the program's output goes to standard output; the line `ready` and then the result as
JSON go to the original standard error. The program can write there too, but can only falsify its own result.
"""

import ast
import contextlib
import json
import os
import resource
import sys
import traceback
from typing import Any

PROGRAM = "<program>"


def main() -> None:
    """Take the job, give up what it does not need, run it, and end without waiting for its threads."""
    job = json.loads(sys.stdin.buffer.read())
    channel = os.fdopen(os.dup(2), "w", encoding="utf-8")
    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
    sys.stdout = os.fdopen(1, "w", buffering=1, encoding="utf-8", closefd=False)  # a program cut off leaves its lines
    sys.path += job["packages"]
    _give_up(job["user"], job["limits"])
    spare = [bytes(1 << 20)]
    print("ready", file=channel, flush=True)
    try:
        result = _result(job["code"], job["size"])
    except BaseException as error:
        spare.clear()  # there may be no memory left to say so
        result = _failure(error, job["size"])
    with contextlib.suppress(BaseException):  # the program may have closed or replaced it
        sys.stdout.flush()
    print(json.dumps(result), file=channel, flush=True)
    os._exit(0)


def _give_up(user: int, limits: dict[str, int]) -> None:
    """Stop being root, if a user is named, and lower the limits, which nobody but root can raise again."""
    if user:
        os.setgroups([])
        os.setgid(user)
        os.setuid(user)
    for name, limit in limits.items():
        number = getattr(resource, name)
        hard = resource.getrlimit(number)[1]
        limit = limit if hard == resource.RLIM_INFINITY else min(limit, hard)
        resource.setrlimit(number, (limit, limit))


def _result(code: str, size: int) -> dict[str, Any]:
    """The variable `answer` or, without one, the value of a last line that is an expression."""
    names: dict[str, Any] = {"__name__": "__main__", "exit": sys.exit, "quit": sys.exit}
    tree = ast.parse(code, PROGRAM)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, PROGRAM, "exec"), names)  # noqa: S102  this is the inside of the sandbox
    value = None
    if isinstance(last, ast.Expr):
        value = eval(compile(ast.Expression(last.value), PROGRAM, "eval"), names)  # noqa: S307  and so is this
    if "answer" not in names and value is None:
        return {"type": "", "value": ""}
    value = names.get("answer", value)
    return {"type": type(value).__name__[:size], "value": str(value)[:size]}


def _failure(error: BaseException, size: int) -> dict[str, Any]:
    """The kind of an error, what it says, and the innermost line that is the program's."""
    message: Any = ""
    lines: list[int | None] = [None]
    with contextlib.suppress(BaseException):  # an exception of the program's own may fail to say anything
        message = error.msg if isinstance(error, SyntaxError) else str(error)
    lines += [line for frame, line in traceback.walk_tb(error.__traceback__) if frame.f_code.co_filename == PROGRAM]
    if isinstance(error, SyntaxError) and error.filename == PROGRAM:
        lines.append(error.lineno)
    return {"error": type(error).__name__, "message": message[:size], "line": lines[-1]}


if __name__ == "__main__":
    main()
