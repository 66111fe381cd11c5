"""Running programs in what the caller supplies: a LangChain tool or a function from code to text.

Hosted sandboxes offer such tools. They tell what was printed, so the program gets last lines that print its result
between two marks. Text without the marks comes from a program that failed, if it names an error of Python; otherwise it
is an outage.
"""

import asyncio
import builtins
import json
import re
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Self
from uuid import uuid4

from langchain_core.messages import BaseMessage
from langchain_core.tools import ToolException

from ...state.errors import ConfigurationError, ErrataError
from ...state.parts import Invokable, runnable
from ...state.runs.secrets import redacted
from ..search import describe, is_interrupt, one_line
from .capture import keep_last
from .execution import Execution, Interpreter, ProgramError, SandboxError, executed, failed

_LAST_LINES = """
import builtins
try:
    answer
except NameError:
    builtins.print("\\n{mark}", "{mark}", sep="\\n")
else:
    builtins.print("\\n{mark}", builtins.type(answer).__name__, answer, "{mark}", sep="\\n")
"""
_ERROR = re.compile(r"\b([A-Z]\w*(?:Error|Exception|Exit|Interrupt|Iteration))\b[:(]? ?(.*)")
_TRACEBACK = "Traceback (most recent call last)"
_COLOUR = re.compile(r"\x1b\[[\d;]*m")


@dataclass(frozen=True)
class CallerInterpreter(Interpreter):
    """An interpreter that the caller supplies; what it isolates is the caller's business."""

    target: Invokable
    timeout: float
    name: str

    @classmethod
    def of(cls, target: Any, timeout: float) -> Self:
        """Make it of a LangChain tool or a function. Raises ConfigurationError for anything else."""
        if not callable(target) and not hasattr(target, "ainvoke"):
            raise ConfigurationError(f"no interpreter {target!r}: `monty`, or a tool or function that takes code")
        name = str(getattr(target, "name", None) or getattr(target, "__name__", None) or type(target).__name__)
        return cls(runnable(target), timeout, name)

    async def run(self, code: str) -> Execution:
        """Run a program. Raises SandboxError if the tool fails, rather than the program."""
        mark = uuid4().hex
        program = code if re.search(r"\banswer\b", code) else keep_last(code, "answer")
        started = time.perf_counter()
        try:
            async with asyncio.timeout(self.timeout):
                told = _text(await self.target.ainvoke(program + "\n" + _LAST_LINES.format(mark=mark)))
        except TimeoutError as error:
            raise SandboxError(f"{self.name} gave no result within {self.timeout:g} s") from error
        except Exception as error:
            if isinstance(error, ErrataError) or is_interrupt(error):
                raise
            if _is_a_programs(type(error)):
                error_of_program = failed(type(error).__name__, str(error))
                return executed(self.name, error=error_of_program, seconds=time.perf_counter() - started)
            if not isinstance(error, ToolException):
                raise SandboxError(f"{self.name} failed: {describe(error)}") from error
            told = str(error)
        seconds = time.perf_counter() - started
        output, *answer = told.split(mark)
        if len(answer) != 2:
            return executed(self.name, output=output, error=self._error(told), seconds=seconds)
        type_name, _, value = answer[0][1:-1].partition("\n")
        return executed(self.name, value=value, type=type_name, output=output.removesuffix("\n"), seconds=seconds)

    def _error(self, told: str) -> ProgramError:
        """The error of a program that did not come to its last line."""
        name, message = (_ERROR.findall(_COLOUR.sub("", told)) or [("", "")])[-1]
        if name and (_TRACEBACK in told or _is_a_programs(getattr(builtins, name, None))):
            return failed(name, message)
        reason = one_line(redacted(told), 300) or "nothing"
        raise SandboxError(f"{self.name} did not say how the program ended: {reason}")


def _is_a_programs(kind: Any) -> bool:
    """Whether a program makes such an error: one of Python's own, but for those of networks and files."""
    is_error = isinstance(kind, type) and issubclass(kind, BaseException)
    return is_error and kind.__module__ == "builtins" and not issubclass(kind, OSError)


def _text(told: Any) -> str:
    """What a tool says of a run: text, a message, or a record of what was printed."""
    if isinstance(told, BaseMessage):
        told = told.text
    if isinstance(told, str) and told.lstrip().startswith("{"):
        with suppress(ValueError, RecursionError):  # if it is one, and not what the program printed
            told = json.loads(told)
    if isinstance(told, Mapping):
        parts = [told[name] for name in ("stdout", "stderr", "error") if told.get(name)]
        return "\n".join("".join(map(str, part)) if isinstance(part, list) else str(part) for part in parts)
    return "" if told is None else str(told)
