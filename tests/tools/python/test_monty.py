"""The pool of workers: started once, shared by all event loops, gone with its process."""

import asyncio
import os
import subprocess
import sys
import threading
import time

import pytest

from errata.state.errors import ConfigurationError
from errata.tools.python import PythonTool, SandboxError, python_tool
from errata.tools.python import pool as pool_module
from errata.tools.python.pool import worker_pool


@pytest.fixture
def monty() -> PythonTool:
    return python_tool("monty", seconds=10)


def test_the_pool_outlives_event_loops(monty: PythonTool) -> None:
    pools = [asyncio.run(worker_pool()) for _ in range(3)]
    assert pools[0] is pools[1] is pools[2]
    assert [asyncio.run(monty.execute(f"answer = {n}"))["value"] for n in range(3)] == ["0", "1", "2"]


def test_event_loops_in_several_threads_share_the_pool(monty: PythonTool) -> None:
    values: list[str] = []
    threads = [
        threading.Thread(target=lambda: values.append(asyncio.run(monty.execute("answer = 42"))["value"]))
        for _ in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert values == ["42"] * 8


async def test_after_a_worker_was_killed_the_pool_goes_on(monty: PythonTool) -> None:
    pool = await worker_pool()
    for _ in range(3):
        async with pool.checkout() as session:
            assert session.worker_pid
            os.kill(session.worker_pid, 9)
        assert (await monty.execute("answer = 1"))["value"] == "1"


async def test_a_worker_that_dies_under_a_program_is_a_sandbox_error(monty: PythonTool) -> None:
    run = asyncio.create_task(monty.execute("while True: pass"))
    await asyncio.sleep(0.3)
    for worker in _workers():
        os.kill(worker, 9)
    with pytest.raises(SandboxError, match="died"):
        await run
    assert (await monty.execute("answer = 1"))["value"] == "1"


async def test_a_program_that_does_not_heed_the_clock_is_killed_in_time() -> None:
    execution = await python_tool("monty", seconds=0.5).execute("answer = 10 ** 10 ** 8")
    assert execution["error"]
    assert execution["error"]["type"] == "TimeoutError"
    assert execution["error"]["message"] == "the program ran longer than 0.5 s"


DIES = """
import asyncio
from errata.tools.python import pool, python_tool
{before}
print(asyncio.run(python_tool("monty", seconds=5, memory_mb=64).execute("answer = 'a' * 50_000_000"))["error"]["type"])
"""


def test_what_a_dying_worker_says_does_not_reach_the_terminal() -> None:
    assert _output(DIES.format(before="")) == ("MemoryError\n", "")


def test_where_its_words_cannot_be_held_back_programs_run_all_the_same() -> None:
    said, beside = _output(DIES.format(before="pool.silenced = lambda binary: '/no/such/program'"))
    assert said == "MemoryError\n"
    assert "monty worker" in beside


def _output(program: str) -> tuple[str, str]:
    """What a program prints, and what appears beside it."""
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    return ended.stdout, ended.stderr


async def test_waiting_for_sleep_takes_no_time(monty: PythonTool) -> None:
    # To sleep for so long would take longer than a program may.
    assert (await monty.execute("import time\ntime.sleep(3600)\nanswer = 1"))["value"] == "1"


def test_without_monty_the_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pydantic_monty", None)
    monkeypatch.setattr(pool_module, "_pools", {})
    with pytest.raises(ConfigurationError, match="pip install pydantic-monty"):
        asyncio.run(worker_pool())


@pytest.mark.parametrize("end", ["", "os.kill(os.getpid(), 9)", "sys.exit(3)"])
def test_no_worker_outlives_its_process(end: str) -> None:
    program = f"""
import asyncio, os, subprocess, sys
from errata.tools.python import python_tool
tool = python_tool("monty")
async def leave():
    runs = [asyncio.create_task(tool.execute("while True: pass")) for _ in range(2)]
    await asyncio.sleep(0.3)
    workers = subprocess.run(["ps", "-o", "pid=,comm=", "--ppid", str(os.getpid())], capture_output=True, text=True)
    print(*[line.split()[0] for line in workers.stdout.splitlines() if "monty" in line], flush=True)
    {end}
asyncio.run(leave())
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=30)
    workers = [int(worker) for worker in done.stdout.split()]
    assert workers
    assert done.stderr == ""
    deadline = time.monotonic() + 5
    while any(os.path.exists(f"/proc/{worker}") for worker in workers) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not [worker for worker in workers if os.path.exists(f"/proc/{worker}")]


def test_after_a_fork_the_child_is_told_and_the_parent_goes_on() -> None:
    program = """
import asyncio, os
from errata.state.errors import ConfigurationError
from errata.tools.python import python_tool
tool = python_tool("monty")
def value(n): return asyncio.run(tool.execute(f"answer = {n}"))["value"]
first = value(1)
child = os.fork()
if child == 0:
    try:
        value(2)
    except ConfigurationError as error:
        os._exit(0 if "spawn" in str(error) else 1)
print(first, os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), value(3))
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout.split() == ["1", "0", "3"]


def _workers() -> list[int]:
    listing = subprocess.run(
        ["ps", "-o", "pid=,comm=", "--ppid", str(os.getpid())], capture_output=True, text=True, check=True
    )
    return [int(line.split()[0]) for line in listing.stdout.splitlines() if "monty" in line]


async def test_it_rounds_as_cpython_does(monty: PythonTool) -> None:
    halves = [(number / 1000, places) for number in range(-1005, 1006, 10) for places in (1, 2)]
    others = [(2.675, 2), (1e300, 2), (-0.4, 0), (0.1, 50), (float("inf"), 1), (7, 2), (1234, -2), (True, 1)]
    expected = [str(round(number, places)) for number, places in [*halves, *others]]
    code = f"inf = float('inf')\nanswer = [str(round(a, b)) for a, b in {[*halves, *others]}] == {expected}"
    assert (await monty.execute(code))["value"] == "True"
    assert (await monty.execute("answer = (round(2.5), round(-2.5), round(3.5, None))"))["value"] == "(2, -2, 4)"


async def test_an_error_of_rounding_is_at_the_line_of_the_program(monty: PythonTool) -> None:
    error = (await monty.execute("a = 1\nanswer = round('a', 2)"))["error"]
    assert error
    assert (error["type"], error["line"]) == ("TypeError", 2)
