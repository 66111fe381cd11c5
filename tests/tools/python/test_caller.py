"""An interpreter that the caller supplies: a LangChain tool or a function, as hosted sandboxes give."""

import asyncio
import subprocess
import sys
from typing import Any

import pytest
from langchain_core.messages import AIMessage
from langchain_core.tools import ToolException, tool

from errata.state.errors import ConfigurationError
from errata.tools.python import SandboxError, python_tool


def hosted(code: str) -> str:
    """A Python elsewhere that shows what is printed."""
    ran = subprocess.run([sys.executable, "-I", "-c", code], capture_output=True, text=True, timeout=60)
    return ran.stdout + ran.stderr


@tool
def exec_python(code: str) -> str:
    """Run Python code."""
    return hosted(code)


async def run(target: Any, code: str, **settings: Any) -> Any:
    return await python_tool(target, **settings).execute(code)


@pytest.mark.parametrize("target", [hosted, exec_python], ids=["function", "tool"])
async def test_the_answer_and_the_output_come_back(target: Any) -> None:
    execution = await run(target, "import statistics\nprint('thinking')\nanswer = statistics.median([3, 1, 2])")
    assert (execution["value"], execution["type"], execution["output"].strip()) == ("2", "int", "thinking")
    assert execution["error"] is None


async def test_a_last_expression_is_the_answer() -> None:
    assert (await run(hosted, "x = 20\nx + 1"))["value"] == "21"


async def test_an_exception_is_an_error_of_the_program() -> None:
    execution = await run(hosted, "answer = 1 / 0")
    assert (execution["error"]["type"], execution["value"]) == ("ZeroDivisionError", "")
    assert "division by zero" in execution["error"]["message"]


@pytest.mark.parametrize(
    "told",
    [
        lambda text: AIMessage(text),
        lambda text: {"stdout": text, "stderr": ""},
        lambda text: {"stdout": [text], "error": None},
    ],
    ids=["message", "record", "lines"],
)
async def test_tools_tell_it_in_different_forms(told: Any) -> None:
    assert (await run(lambda code: told(hosted(code)), "answer = 6 * 7"))["value"] == "42"


@pytest.mark.parametrize("reason", ["503 Service Unavailable", "", "the key is invalid"])
async def test_a_tool_that_does_not_say_how_the_program_ended_is_an_outage(reason: str) -> None:
    with pytest.raises(SandboxError, match="did not say how the program ended"):
        await run(lambda code: reason, "answer = 1")


@pytest.mark.parametrize(
    "error", [ConnectionError("refused"), RuntimeError("pool is empty"), ToolException("no quota")]
)
async def test_a_tool_that_fails_is_an_outage(error: Exception) -> None:
    def down(code: str) -> str:
        raise error

    execution: Any = None
    try:
        execution = await run(down, "answer = 1")
    except SandboxError:
        return
    assert execution["error"]["type"] == "RuntimeError", "an exception of Python's own may be the program's"


async def test_a_tool_that_never_ends_is_given_up() -> None:
    async def slow(code: str) -> str:
        await asyncio.sleep(60)
        return ""

    with pytest.raises(SandboxError, match=r"no result within 0\.1 s"):
        await run(slow, "answer = 1", timeout=0.1)


def test_what_is_no_interpreter_is_refused() -> None:
    with pytest.raises(ConfigurationError, match="a tool or function that takes code"):
        python_tool("cpython")
