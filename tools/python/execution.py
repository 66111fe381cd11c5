"""What a program came to, and the tool that runs programs."""

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
"""Bounds in characters: what goes into a sandbox, and what a program can put into a state and a prompt."""

PROGRAM = "<program>"
"""File name of the program in its own tracebacks."""


class SandboxError(ToolError):
    """A sandbox that did not start or died by itself. Never raised for what a program did."""


class ProgramError(TypedDict):
    """Why a program failed."""

    type: str
    """Name of the exception, such as `ZeroDivisionError`; `TimeoutError` and `MemoryError` also for the limits."""
    message: str
    line: int | None
    """Line of the program where it failed, if that is known."""
    lacking: bool
    """Whether the interpreter lacks what the program asks for, so that another one may run it."""


class Execution(TypedDict):
    """What a program came to."""

    value: str
    """What `print(answer)` would show, or, where no `answer` was set, the value of a last line that is an expression.
    Empty if there is neither."""
    type: str
    """Name of the value's type; empty if there is no value."""
    output: str
    """What it printed."""
    error: ProgramError | None
    seconds: float
    """How long it ran, without the start of the sandbox."""
    backend: str
    """The interpreter that ran it: `monty` or `cpython`; empty if none had to."""


class Interpreter(ABC):
    """Runs one program at a time in a place that it cannot get out of."""

    name: ClassVar[str]

    @abstractmethod
    async def run(self, code: str) -> Execution:
        """Run a program. What it does wrong is in the result; the errors raised are about the place."""


async def run_in(interpreter: Interpreter, code: str) -> Execution:
    """Run a program, as a run in the trace that names the interpreter."""
    return await traced(f"python: {interpreter.name}", code, lambda: interpreter.run(code))


class Code(BaseModel):
    """Input of the tool when an agent calls it."""

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
            SandboxError: If the sandbox died, ConfigurationError if there is none.
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
    """An execution in the words that a critic is shown."""
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
    """Make the record of an error. Program text is hostile: it gets one bounded line."""
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
    """Make the record of an execution, cut to its bounds and free of what a reader cannot see."""
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
    """The result of what is not a program at all, so that no sandbox has to deal with it."""
    error: ProgramError | None = None
    if len(code) > MAX_CODE:
        error = failed("SyntaxError", f"the program is longer than {MAX_CODE} characters")
    elif not _is_text(code):
        error = failed("SyntaxError", "the program contains characters that are not text")
    return executed("", error=error) if error else None


def ran_too_long(seconds: float) -> ProgramError:
    return failed("TimeoutError", f"the program ran longer than {seconds:g} s")


def used_too_much(memory_mb: int) -> ProgramError:
    return failed("MemoryError", f"the program needed more than {memory_mb} MB of memory")


def _is_text(code: str) -> bool:
    """No null characters, and no halves of characters, which no wire can carry."""
    return "\0" not in code and not any("\ud800" <= letter <= "\udfff" for letter in code)
