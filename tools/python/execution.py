"""The result of a program, and the tool that runs programs."""

from abc import ABC, abstractmethod
from typing import ClassVar, Literal

from langchain_core.tools import BaseTool
from langchain_core.tools.base import ArgsSchema
from pydantic import BaseModel, Field
from typing_extensions import TypedDict

from ...state.errors import ToolError
from ...state.runs.meter import spend
from ...state.runs.traces import traced
from ..search import clean, one_line, run

MAX_CODE = 20_000
MAX_VALUE = 2_000
MAX_OUTPUT = 4_000
MAX_MESSAGE = 500
MAX_NAME = 100
"""Limits in characters on what goes into a sandbox, and on what a program can put into a state and a prompt."""


class SandboxError(ToolError):
    """A sandbox that did not start or that crashed. Never raised because of what a program did."""


class ProgramError(TypedDict):
    """Why a program failed."""

    type: str
    """The name of the exception, such as `ZeroDivisionError`; `TimeoutError` and `MemoryError` also for the limits."""
    message: str
    line: int | None
    """The line of the program where it failed, if known."""
    lacking: bool
    """Whether the interpreter lacks what the program needs, so that another one may run it."""


class Execution(TypedDict):
    """The result of a program."""

    value: str
    """What `print(answer)` would show or, if no `answer` was set, the value of a last line that is an expression. Empty
    if there is neither.
    """
    type: str
    """The name of the value's type; empty if there is no value."""
    output: str
    """What it printed."""
    error: ProgramError | None
    seconds: float
    """How long it ran, without the start of the sandbox."""
    backend: str
    """The interpreter that ran it: `monty` or `cpython`; empty if none was needed."""


class Interpreter(ABC):
    """Runs one program at a time in a place that it cannot get out of."""

    name: ClassVar[str]

    @abstractmethod
    async def run(self, code: str) -> Execution:
        """Run a program. Its own errors are in the result; exceptions are about the sandbox."""


async def run_in(interpreter: Interpreter, code: str) -> Execution:
    """Run a program, as a separate run in the trace that names the interpreter."""
    return await traced(f"python: {interpreter.name}", code, lambda: interpreter.run(code))


class Code(BaseModel):
    """The input of the tool when an agent calls it."""

    code: str = Field(description="A Python program that leaves its result in the variable `answer`.")


class PythonTool(BaseTool):
    """Runs a program in a sandbox.

    Graphs call `execute`; as a LangChain tool it returns readable text, with the Execution as the artifact.
    """

    name: str = "python"
    description: str = "Runs a Python program, without files or network, and says what the variable `answer` holds."
    args_schema: ArgsSchema | None = Code
    response_format: Literal["content", "content_and_artifact"] = "content_and_artifact"

    interpreter: Interpreter

    async def execute(self, code: str) -> Execution:
        """Run a program that leaves its result in `answer`. A program that fails is a result, not an exception.

        Raises:
            SandboxError: If the sandbox crashed.
            ConfigurationError: If there is no sandbox.
        """
        execution = refused(code) or await run_in(self.interpreter, code)
        spend(tool_runs=1)
        return execution

    async def _arun(self, code: str) -> tuple[str, Execution]:
        execution = await self.execute(code)
        return readable(execution), execution

    def _run(self, code: str) -> tuple[str, Execution]:
        return run(self._arun(code))


def readable(execution: Execution) -> str:
    """An execution as text for a critic."""
    error = execution["error"]
    lines = [f"Execution: {described(error) if error else 'Done'}"]
    if execution["type"] == "NoneType":
        lines.append("Output: the variable `answer` holds no value, only None")
    elif execution["type"]:
        lines.append(f"Output: answer = {execution['value']}")
    elif not error:
        lines.append("Output: the program set no variable `answer`")
    if printed := execution["output"].rstrip():
        lines.append(f"Printed:\n{printed}")
    return "\n".join(lines)


def described(error: ProgramError) -> str:
    """An error in one line."""
    where = f" (line {error['line']})" if error["line"] else ""
    return f"{error['type']}: {error['message']}".rstrip(": ") + where


def failed(type: str, message: str, line: int | None = None, *, lacking: bool = False) -> ProgramError:
    """The record of an error. Program text is hostile, so it gets one line of limited length.

    Args:
        type: The class of the error.
        message: What it says.
        line: The line of the program that raised it, from 1; None if unknown.
        lacking: Whether the interpreter lacks what the program uses, so that another one may run it.
    """
    return {
        "type": one_line(type, MAX_NAME) or "Error",
        "message": one_line(message, MAX_MESSAGE),
        "line": line,
        "lacking": lacking,
    }


def executed(
    backend: str,
    *,
    value: str = "",
    type: str = "",
    output: str = "",
    error: ProgramError | None = None,
    seconds: float = 0.0,
) -> Execution:
    """The record of an execution, cut to its limits and without invisible characters."""
    return {
        "value": bounded(value, MAX_VALUE),
        "type": one_line(type, MAX_NAME),
        "output": bounded(output, MAX_OUTPUT),
        "error": error,
        "seconds": round(seconds, 4),
        "backend": backend,
    }


def bounded(text: str, size: int) -> str:
    """At most `size` characters of a text, with a mark where it was cut."""
    text = clean(text)
    return text if len(text) <= size else f"{text[:size]} … (cut at {size} characters)"


def refused(code: str) -> Execution | None:
    """The result for something that is not a program at all, so that no sandbox has to deal with it."""
    error: ProgramError | None = None
    if len(code) > MAX_CODE:
        error = failed("SyntaxError", f"the program is longer than {MAX_CODE} characters")
    elif not _is_text(code):
        error = failed("SyntaxError", "the program contains characters that are not text")
    return executed("", error=error) if error else None


def ran_too_long(seconds: float) -> ProgramError:
    """The error of a program that ran longer than it may."""
    return failed("TimeoutError", f"the program ran longer than {seconds:g} s")


def used_too_much(memory_mb: int) -> ProgramError:
    """The error of a program that needed more memory than it may have."""
    return failed("MemoryError", f"the program needed more than {memory_mb} MB of memory")


def _is_text(code: str) -> bool:
    """Whether a text has no null characters and no lone surrogates, which cannot be encoded."""
    return "\0" not in code and not any("\ud800" <= letter <= "\udfff" for letter in code)
