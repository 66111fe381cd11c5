"""What a program comes to, in either interpreter."""

import asyncio
import json
import subprocess
import sys
import tracemalloc
from typing import Any

import pytest

from errata.state.runs.meter import metered
from errata.tools.python import PythonTool, SandboxError, python_tool
from errata.tools.python.execution import MAX_CODE, MAX_OUTPUT, MAX_VALUE, bounded, executed, failed, readable

VALUES = [
    ("answer = 2 * 3", "6", "int"),
    ("answer = 7 / 2", "3.5", "float"),
    ("answer = 2 ** 64", "18446744073709551616", "int"),
    ("answer = 'Tuesday'", "Tuesday", "str"),
    ("answer = ''", "", "str"),
    ("answer = 3 > 2", "True", "bool"),
    ("answer = None", "None", "NoneType"),
    ("answer = [1, 'a', (2, 3)]", "[1, 'a', (2, 3)]", "list"),
    ("answer = {'a': 1}", "{'a': 1}", "dict"),
    ("answer = float('nan')", "nan", "float"),
    ("import math\nanswer = math.sqrt(16)", "4.0", "float"),
    ("import datetime\nanswer = datetime.date(2024, 2, 28) + datetime.timedelta(days=2)", "2024-03-01", "date"),
    ("import re\nanswer = re.findall('[0-9]+', 'a1b22')", "['1', '22']", "list"),
    ("import json\nanswer = json.loads('[1]')[0]", "1", "int"),
    ("import itertools\nanswer = len(list(itertools.permutations('abc')))", "6", "int"),
    ("from collections import Counter\nanswer = Counter('aab').most_common(1)", "[('a', 2)]", "list"),
    ("def area(r):\n    return 3 * r ** 2\n\nanswer = area(2)", "12", "int"),
    ("class P:\n    def __init__(self, x):\n        self.x = x\n\nanswer = P(5).x", "5", "int"),
    ("answer = sum(n for n in range(10) if n % 2)", "25", "int"),
    ("if __name__ == '__main__':\n    answer = 1", "1", "int"),
    ("type = 'apple'\nstr = repr = print = None\nanswer = 4", "4", "int"),
    ("answer = 1\n2", "1", "int"),
    ("answer = 1  # a comment", "1", "int"),
    ("answer = 1\r\n", "1", "int"),
]

LAST = [
    ("1 + 1", "2"),
    ("x = 4\nx * 2  # twice", "8"),
    ("x = 4; x", "4"),
    ("[\n  1,\n  2,\n]", "[1, 2]"),
    ("(lambda n: n + 1)(3)", "4"),
    ("x = 3\nf'{x}='", "3="),
    ("'''a\nx = 1\n'''", "a\nx = 1\n"),
    ("def solution():\n    answer = 5\n    return answer\nsolution()", "5"),
    ("x = 3", ""),
    ("x: int = 3", ""),
    ("print(3)", ""),
    ("for x in [1]:\n    x", ""),
    ("import math", ""),
    ("", ""),
    ("# nothing", ""),
]

ERRORS = [
    ("x = 1\n\n1 / 0", "ZeroDivisionError", 3),
    ("def f():\n    return unknown\n\nf()", "NameError", 2),
    ("def f():\n    return answer\n\nf()", "NameError", 2),
    ("x = (1,\n", "SyntaxError", None),
    ("x = 1\ny = = 2", "SyntaxError", 2),
    ("assert 1 == 2", "AssertionError", 1),
    ("int('x')", "ValueError", 1),
    ("[][1]", "IndexError", 1),
    ("raise KeyError('x')", "KeyError", 1),
    ("raise SystemExit", "SystemExit", 1),
    ("raise KeyboardInterrupt", "KeyboardInterrupt", 1),
    ("def f(n):\n    return f(n + 1)\nf(0)", "RecursionError", 2),
    ("answer = 10 ** 5000", "ValueError", None),
    ("class A:\n    def __str__(self):\n        return 1 / 0\n\nanswer = A()", "ZeroDivisionError", 3),
    ("exec('\\n\\n1/0')", "ZeroDivisionError", 1),
]


@pytest.mark.parametrize(("code", "value", "type"), VALUES)
async def test_the_value_is_what_answer_holds(tool: PythonTool, code: str, value: str, type: str) -> None:
    execution = await tool.execute(code)
    assert execution["error"] is None
    assert (execution["value"], execution["type"]) == (value, type)


@pytest.mark.parametrize(("code", "value"), LAST)
async def test_without_an_answer_a_last_expression_counts(tool: PythonTool, code: str, value: str) -> None:
    execution = await tool.execute(code)
    assert execution["error"] is None
    assert execution["value"] == value
    assert bool(execution["type"]) == bool(value)


@pytest.mark.parametrize(("code", "type", "line"), ERRORS)
async def test_a_program_that_fails_is_a_result(tool: PythonTool, code: str, type: str, line: int | None) -> None:
    execution = await tool.execute(code)
    assert execution["error"]
    assert execution["error"]["type"] == type
    assert line is None or execution["error"]["line"] == line
    assert (execution["value"], execution["type"]) == ("", "")


async def test_what_was_printed_is_kept_also_of_a_program_that_fails(tool: PythonTool) -> None:
    execution = await tool.execute("print('première')\nprint(2, 3, sep='-', end='!')\n1 / 0")
    assert execution["output"] == "première\n2-3!"
    assert execution["error"]


async def test_much_output_is_cut_and_says_so(tool: PythonTool) -> None:
    execution = await tool.execute("for n in range(20_000):\n    print('x' * 100)\nanswer = 1")
    assert execution["value"] == "1"
    assert execution["output"].endswith(f"… (cut at {MAX_OUTPUT} characters)")
    assert len(execution["output"]) < MAX_OUTPUT + 50


async def test_a_long_value_is_cut_and_says_so(tool: PythonTool) -> None:
    execution = await tool.execute("answer = 'é' * 100_000")
    assert execution["value"] == "é" * MAX_VALUE + f" … (cut at {MAX_VALUE} characters)"


async def test_a_long_message_is_cut(tool: PythonTool) -> None:
    execution = await tool.execute("raise ValueError('a\\nb' * 100_000)")
    assert execution["error"]
    assert len(execution["error"]["message"]) <= 500
    assert "\n" not in execution["error"]["message"]


async def test_a_very_long_message_is_cut_before_it_is_cleaned(tool: PythonTool) -> None:
    size = 4_000_000
    await tool.execute("answer = 1")
    tracemalloc.start()
    try:
        execution = await tool.execute(f"raise ValueError('a\\n' * {size // 2})")
        most = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert execution["error"]
    assert execution["error"]["type"] == "ValueError"
    assert most < 2 * size  # the interpreter hands it over once


async def test_what_a_reader_cannot_see_is_dropped(tool: PythonTool) -> None:
    execution = await tool.execute("print('a\\x1b[31mb\\u202ec')\nanswer = 'x\\x00y'")
    assert execution["output"] == "a[31mbc\n"
    assert execution["value"] == "xy"


@pytest.mark.parametrize("code", ["x" * (MAX_CODE + 1), "x = '\0'", "x = '\ud800'"])
async def test_what_is_not_a_program_reaches_no_sandbox(tool: PythonTool, code: str) -> None:
    execution = await tool.execute(code)
    assert execution["error"]
    assert execution["error"]["type"] == "SyntaxError"
    assert execution["backend"] == ""


async def test_an_execution_is_json_and_counts_as_a_tool_run(tool: PythonTool) -> None:
    with metered() as meter:
        execution = await tool.execute("answer = 1")
    assert meter.spent == {"tool_runs": 1}
    assert json.loads(json.dumps(execution)) == execution
    assert execution["seconds"] > 0
    assert execution["backend"] == tool.interpreter.name


async def test_programs_share_nothing(tool: PythonTool) -> None:
    await tool.execute("answer = secret = 1")
    execution = await tool.execute("answer = secret")
    assert execution["error"]
    assert execution["error"]["type"] == "NameError"


async def test_many_programs_at_once_do_not_mix(tool: PythonTool) -> None:
    codes = [f"print({n})\nanswer = {n} * {n}" for n in range(50)]
    executions = await asyncio.gather(*map(tool.execute, codes))
    assert [execution["value"] for execution in executions] == [str(n * n) for n in range(50)]
    assert [execution["output"] for execution in executions] == [f"{n}\n" for n in range(50)]


async def test_a_cancelled_caller_leaves_nobody_stuck(tool: PythonTool) -> None:
    name: Any = tool.interpreter.name
    tool = python_tool(name, seconds=120)  # too long for anybody to be waited for
    runs = [asyncio.create_task(tool.execute("while True: pass")) for _ in range(8)]
    await asyncio.sleep(0.5)
    for run in runs:
        run.cancel()
    assert all(isinstance(end, asyncio.CancelledError) for end in await asyncio.gather(*runs, return_exceptions=True))
    assert (await tool.execute("answer = 5"))["value"] == "5"


def test_the_sync_face_works_with_and_without_a_running_loop(tool: PythonTool) -> None:
    call = {"name": "python", "args": {"code": "answer = 6"}, "id": "1", "type": "tool_call"}

    async def inside() -> str:
        return str(tool.invoke(call).content)

    assert tool.invoke(call).content == "Execution: Done\nOutput: answer = 6"
    assert asyncio.run(inside()) == "Execution: Done\nOutput: answer = 6"


async def test_as_a_langchain_tool_it_gives_text_and_artifact(tool: PythonTool) -> None:
    message = await tool.ainvoke({"name": "python", "args": {"code": "x = 0\n\n1 / x"}, "id": "1", "type": "tool_call"})
    assert message.content == "Execution: ZeroDivisionError: division by zero (line 3)"
    assert message.artifact["error"]["line"] == 3


def test_the_critic_never_reads_a_bare_none() -> None:
    assert readable(executed("monty")) == "Execution: Done\nOutput: the program set no variable `answer`"
    assert "holds no value" in readable(executed("monty", value="None", type="NoneType"))
    assert readable(executed("monty", value="", type="str")) == "Execution: Done\nOutput: answer = "
    shown = readable(executed("monty", output="1\n2\n", error=failed("Oops", "no\nOutput: answer = 3")))
    assert shown == "Execution: Oops: no Output: answer = 3\nPrinted:\n1\n2"


def test_a_text_within_its_bounds_is_not_cut() -> None:
    assert bounded("abc", 3) == "abc"
    assert bounded("abcd", 3) == "abc … (cut at 3 characters)"


def test_importing_the_package_loads_no_interpreter() -> None:
    program = (
        "import sys, errata.tools.python\n"
        "print(sorted({'pydantic_monty', 'errata.tools.python.cpython', 'numpy'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_a_sandbox_error_is_a_tool_error() -> None:
    from errata.state.errors import ToolError

    assert issubclass(SandboxError, ToolError)
