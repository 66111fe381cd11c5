"""The choice of interpreter for a program."""

from dataclasses import dataclass
from typing import Any

from ...state.errors import ConfigurationError
from .execution import Execution, Interpreter, PythonTool, failed, run_in
from .monty import MontyInterpreter

_HINT = "not available here; allow_cpython=True runs such programs in a sandboxed CPython"


@dataclass(frozen=True)
class EitherInterpreter(Interpreter):
    """Monty first; CPython, if allowed, for programs that need more than Monty has."""

    first: Interpreter
    second: Interpreter | None
    name: str = "auto"

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
    python: Any = "monty",
    *,
    allow_cpython: bool = False,
    seconds: float = 2.0,
    memory_mb: int = 256,
    timeout: float = 60.0,
) -> PythonTool:
    """Make a tool that runs programs.

    Args:
        python: `monty`, a small interpreter that starts in under a millisecond and knows part of Python and few
            modules; or a LangChain tool or function that takes code and returns text, such as a hosted sandbox's.
        allow_cpython: Whether CPython in bubblewrap (Linux) may run what monty lacks, with the packages installed here.
        seconds: The most seconds for one program, in monty and in CPython.
        memory_mb: The most memory for one program, in MB; in CPython for each of its processes.
        timeout: Seconds until a tool of the caller's is abandoned.

    Returns:
        The tool.

    Raises:
        ConfigurationError: If the settings cannot work on this machine.
    """
    if not 0 < seconds <= 600 or not 32 <= memory_mb <= 65_536:
        raise ConfigurationError("a program needs up to 600 seconds and from 32 to 65536 MB of memory")
    if isinstance(python, PythonTool):
        return python
    if python != "monty":
        from .caller import CallerInterpreter

        return PythonTool(interpreter=CallerInterpreter.of(python, timeout))
    second: Interpreter | None = None
    if allow_cpython:
        from .cpython import CPythonInterpreter

        second = CPythonInterpreter(seconds, memory_mb)
    return PythonTool(interpreter=EitherInterpreter(MontyInterpreter(seconds, memory_mb), second))
