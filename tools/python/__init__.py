"""Running programs that a language model wrote.

They run in a small interpreter or in an isolated CPython, never in this process.
"""

from .choose import python_tool
from .execution import Execution, Interpreter, ProgramError, PythonTool, SandboxError

__all__ = ["Execution", "Interpreter", "ProgramError", "PythonTool", "SandboxError", "python_tool"]
