"""Running programs in Monty: a small Python interpreter written in Rust, in its own worker processes.

It offers no files, network, environment or processes, so there is nothing to break out to.
"""

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from .capture import keep_last
from .execution import (
    MAX_NAME,
    MAX_OUTPUT,
    MAX_VALUE,
    Execution,
    Interpreter,
    ProgramError,
    SandboxError,
    executed,
    failed,
    ran_too_long,
    used_too_much,
)
from .idioms import portable
from .lacking import is_lacking
from .pool import WAIT, worker_pool

if TYPE_CHECKING:
    from pydantic_monty import AsyncMontySession, Frame, MontyError

_LAST = "_errata_last"
_TYPE = "_errata_type"
"""Names in the program's own namespace. A program that changes them only falsifies its own result."""
_BEFORE = f"""
{_TYPE}, _errata_round = type, round
def round(number, ndigits=None):
    if {_TYPE}(number) is float and {_TYPE}(ndigits) is int and 0 <= ndigits < 400:
        return float(f"{{number:.{{ndigits}}f}}")
    return _errata_round(number) if ndigits is None else _errata_round(number, ndigits)
"""
"""What runs before the program. Monty rounds `2.675` to `2.68`; CPython rounds the number itself, which is below that,
as formatting does in both.
"""


@dataclass(frozen=True)
class MontyInterpreter(Interpreter):
    """Monty, with a fresh session for every program."""

    name: ClassVar[str] = "monty"

    seconds: float
    memory_mb: int

    async def run(self, code: str) -> Execution:
        """Run a program. Raises SandboxError if no worker becomes free within WAIT seconds."""
        pool = await worker_pool()
        limits: Any = {"max_feed_duration_secs": self.seconds, "max_memory": self.memory_mb << 20}
        try:
            # A sleep is over at once: it would cost time and change nothing.
            async with pool.checkout(limits=limits, os_policy={"sleep": "zero"}) as session:
                return await self._run_in(session, code)
        except TimeoutError as error:
            raise SandboxError(f"no worker of monty became free within {WAIT:g} s: lower max_concurrency") from error

    async def _run_in(self, session: "AsyncMontySession", code: str) -> Execution:
        from pydantic_monty import MontyError

        printed = _Printed()
        started = time.perf_counter()
        value, error = "", None
        try:
            value = await _value(session, code, printed)
        except MontyError as problem:
            error = self._explained(problem, code)
        seconds = time.perf_counter() - started
        type, _, value = value.partition("\n")
        return executed(self.name, value=value, type=type, output=printed.text, error=error, seconds=seconds)

    def _explained(self, error: "MontyError", code: str) -> ProgramError:
        from pydantic_monty import MontyCrashedError

        if isinstance(error, MontyCrashedError):
            if error.timed_out:
                return ran_too_long(self.seconds)
            raise SandboxError(f"the worker of monty died: {error}") from error
        inner = error.exception()
        type, message, line = inner.__class__.__name__, str(inner), _line(error, code)
        if type == "TimeoutError" and "time limit exceeded" in message:
            return ran_too_long(self.seconds)
        if type == "MemoryError" and "memory limit" in message:
            return used_too_much(self.memory_mb)
        return failed(type, message, line, lacking=is_lacking(type, message))


class _Printed:
    """Keeps the beginning of what is printed, and drops the rest."""

    def __init__(self) -> None:
        self.text = ""

    def __call__(self, stream: str, text: str) -> None:
        if stream == "stdout" and len(self.text) <= MAX_OUTPUT:
            self.text += text[: MAX_OUTPUT + 1]


async def _value(session: "AsyncMontySession", code: str, printed: _Printed) -> str:
    """Run a program; returns the type and text of its value on a line each, or nothing.

    The text is made, and cut, inside the sandbox, so that nothing large or strange gets out.
    """
    from pydantic_monty import MontyError, MontySyntaxError

    # Its lines come after the program's, so that no error in it is taken for one of the program's lines.
    await session.feed_run("\n" * _length(code) + _BEFORE)
    code = portable(code)
    program = keep_last(code, _LAST)
    try:
        try:
            return await _fed(session, f"{program}\n{_showing('answer')}", printed)
        except MontySyntaxError:
            if program == code:
                raise
            return await _fed(session, f"{code}\n{_showing('answer')}", printed)
    except MontyError as error:
        if not _finished(error, code):
            raise
    try:
        value = await _fed(session, _showing(_LAST), printed)
    except MontyError as error:
        if isinstance(error.exception(), NameError):
            return ""
        raise
    return "" if value.startswith("NoneType\n") else value


async def _fed(session: "AsyncMontySession", code: str, printed: _Printed) -> str:
    return str(await session.feed_run(code, print_callback=printed))


def _showing(name: str) -> str:
    """A last line that shows a variable. Unlike `str`, the program cannot redefine formatting."""
    return f'f"{{{_TYPE}({name}).__name__:.{MAX_NAME}}}\\n{{{name}!s:.{MAX_VALUE + 1}}}"'


def _finished(error: "MontyError", code: str) -> bool:
    """Whether the program ran to its end, and only the line after it found no `answer`."""
    frames = _frames(error)
    return isinstance(error.exception(), NameError) and len(frames) == 1 and frames[0].line > _length(code)


def _line(error: "MontyError", code: str) -> int | None:
    """The innermost line that is the program's, not that of text passed to `exec`."""
    frames = _frames(error)
    lines = [frame.line for frame in frames if frame.filename == frames[0].filename and frame.line <= _length(code)]
    return lines[-1] if lines else None


def _frames(error: "MontyError") -> "list[Frame]":
    from pydantic_monty import MontyRuntimeError, MontySyntaxError

    return error.traceback() if isinstance(error, MontyRuntimeError | MontySyntaxError) else []


def _length(code: str) -> int:
    return code.count("\n") + 1
