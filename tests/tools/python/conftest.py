"""Both interpreters, and a finding on whether this machine can isolate CPython."""

import asyncio

import pytest

from errata.state.errors import ConfigurationError
from errata.tools.python import PythonTool, python_tool


@pytest.fixture(scope="session")
def isolation() -> str:
    """Why CPython cannot be isolated here; empty if it can."""
    try:
        asyncio.run(python_tool("cpython", seconds=20).execute("answer = 1"))
    except ConfigurationError as error:
        return str(error)
    return ""


@pytest.fixture
def cpython(isolation: str) -> PythonTool:
    if isolation:
        pytest.skip(isolation)
    return python_tool("cpython", seconds=10)


@pytest.fixture(params=["monty", "cpython"])
def tool(request: pytest.FixtureRequest, isolation: str) -> PythonTool:
    """Each interpreter, with time enough for a crowded machine."""
    if request.param == "cpython" and isolation:
        pytest.skip(isolation)
    return python_tool(request.param, seconds=10)


@pytest.fixture(params=["monty", "cpython"])
def strict(request: pytest.FixtureRequest, isolation: str) -> PythonTool:
    """Each interpreter, with little time and memory."""
    if request.param == "cpython" and isolation:
        pytest.skip(isolation)
    return python_tool(request.param, seconds=0.5, memory_mb=128)
