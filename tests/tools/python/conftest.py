"""Both interpreters, and a finding on whether this machine can isolate CPython."""

import asyncio
import shutil
from collections.abc import Callable

import pytest

from errata.state.errors import ConfigurationError
from errata.tools.python import PythonTool
from errata.tools.python.cpython import CPythonInterpreter
from errata.tools.python.monty import MontyInterpreter

Made = Callable[..., PythonTool]


def monty_tool(seconds: float = 10, memory_mb: int = 256) -> PythonTool:
    return PythonTool(interpreter=MontyInterpreter(seconds, memory_mb))


def cpython_tool(seconds: float = 10, memory_mb: int = 256) -> PythonTool:
    return PythonTool(interpreter=CPythonInterpreter(seconds, memory_mb))


@pytest.fixture(scope="session")
def isolation() -> str:
    """Why CPython cannot be isolated here; empty if it can."""
    if not shutil.which("bwrap"):
        return "bubblewrap is not installed"
    try:
        asyncio.run(cpython_tool(20).execute("answer = 1"))
    except ConfigurationError as error:
        return str(error)
    return ""


@pytest.fixture
def cpython(isolation: str) -> PythonTool:
    if isolation:
        pytest.skip(isolation)
    return cpython_tool()


@pytest.fixture(params=[monty_tool, cpython_tool], ids=["monty", "cpython"])
def made(request: pytest.FixtureRequest, isolation: str) -> Made:
    """What makes a tool of each interpreter."""
    if request.param is cpython_tool and isolation:
        pytest.skip(isolation)
    made: Made = request.param
    return made


@pytest.fixture
def tool(made: Made) -> PythonTool:
    """Each interpreter, with time enough for a crowded machine."""
    return made(10)


@pytest.fixture
def strict(made: Made) -> PythonTool:
    """Each interpreter, with little time and memory."""
    return made(0.5, 128)
