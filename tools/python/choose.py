"""The choice of interpreter for a program."""

import sys
from dataclasses import dataclass
from typing import ClassVar, Literal, get_args

from ...state.errors import ConfigurationError
from .execution import Execution, Interpreter, PythonTool, failed, run_in
from .monty import MontyInterpreter

Backend = Literal["auto", "monty", "cpython"]

_HINT = "not available here; allow_cpython=True runs such programs in a sandboxed CPython"


@dataclass(frozen=True)
class EitherInterpreter(Interpreter):
    """Monty first; CPython, if allowed, for programs that need more than Monty has."""

    name: ClassVar[str] = "auto"

    first: Interpreter
    second: Interpreter | None

    async def run(self, code: str) -> Execution:
        """Run a program in the first interpreter, and again in the second if the first lacks something."""
        execution = await run_in(self.first, code)
        error = execution["error"]
        if not error or not error["lacking"]:
            return execution
        if self.second:
            return await run_in(self.second, code)
        message = f"{error['message']} ({_HINT})"
        return {**execution, "error": failed(error["type"], message, error["line"], lacking=True)}


def python_tool(
    backend: Backend = "auto", *, allow_cpython: bool = False, seconds: float = 2.0, memory_mb: int = 256
) -> PythonTool:
    """Make a tool that runs programs.

    Args:
        backend: `monty`, a small interpreter that starts in under a millisecond and knows part of Python and few
            modules; `cpython`, all of Python, with dateutil, numpy and sympy if installed, in a sandbox that needs
            Linux and bubblewrap; or `auto`, which is monty and, with `allow_cpython`, cpython for what monty lacks.
        allow_cpython: Whether programs may run in CPython.
        seconds: The most seconds for one program.
        memory_mb: The most memory for one program, in MB.

    Returns:
        The tool.

    Raises:
        ConfigurationError: If the settings cannot work on this machine.
    """
    if not 0 < seconds <= 600 or not 32 <= memory_mb <= 65_536:
        raise ConfigurationError("a program needs up to 600 seconds and from 32 to 65536 MB of memory")
    if backend not in get_args(Backend):
        raise ConfigurationError(f"there is no backend {backend!r}: choose one of {', '.join(get_args(Backend))}")
    if backend == "cpython":
        return PythonTool(interpreter=_cpython(seconds, memory_mb))
    monty = MontyInterpreter(seconds, memory_mb)
    if backend == "monty":
        return PythonTool(interpreter=monty)
    return PythonTool(interpreter=EitherInterpreter(monty, _cpython(seconds, memory_mb) if allow_cpython else None))


def _cpython(seconds: float, memory_mb: int) -> Interpreter:
    if not sys.platform.startswith("linux"):
        raise ConfigurationError("programs can be isolated in CPython only on Linux: use the backend monty")
    from .cpython import CPythonInterpreter

    return CPythonInterpreter(seconds, memory_mb)
