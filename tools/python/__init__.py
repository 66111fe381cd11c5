"""Running programs that a language model wrote.

They run in a small interpreter, in an isolated CPython or in a tool of the caller's, never in this process.
"""

from .execution import Execution, Interpreter, ProgramError, PythonTool, SandboxError
from .selection import python_tool

__all__ = ["Execution", "Interpreter", "ProgramError", "PythonTool", "SandboxError", "python_tool"]
