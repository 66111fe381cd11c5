"""CPython between walls: what it can do, what its result may say, and that it refuses where there are no walls."""

import asyncio
import importlib.util
import os
from pathlib import Path

import pytest

from errata.state.errors import ConfigurationError
from errata.tools.python import PythonTool, SandboxError, python_tool
from errata.tools.python import child as child_module
from errata.tools.python import cpython as cpython_module
from errata.tools.python.child import Child
from errata.tools.python.cpython import CPythonInterpreter, _parsed
from errata.tools.python.seccomp import syscall_filter
from errata.tools.python.walls import command

FULL_PYTHON = [
    ("from fractions import Fraction\nanswer = Fraction(1, 3)", "1/3"),
    ("import statistics\nanswer = statistics.median([1, 2, 9])", "2"),
    ("import calendar\nanswer = calendar.isleap(2024)", "True"),
    ("def g():\n    yield from range(3)\nanswer = list(g())", "[0, 1, 2]"),
    ("class E(Exception):\n    pass\ntry:\n    raise E\nexcept E:\n    answer = 'caught'", "caught"),
    ("from dataclasses import dataclass\n@dataclass\nclass P:\n    x: int\nanswer = P(1)", "P(x=1)"),
    ("import threading\nt = threading.Thread(target=lambda: None)\nt.start(); t.join()\nanswer = 1", "1"),
    ("from datetime import datetime\nanswer = datetime.strptime('1:30 PM', '%I:%M %p').hour", "13"),
    ("import tempfile\nwith tempfile.TemporaryFile() as f:\n    f.write(b'abc')\nanswer = f.closed", "True"),
    ("import asyncio\nasync def f():\n    return 3\nanswer = asyncio.run(f())", "3"),
    ("async def f():\n    pass\nanswer = f.__name__", "f"),
]

FORGERIES = [
    b"",
    b"null",
    b"42",
    b"[" * 100_000,
    b"9" * 10_000,
    b"\xff",
    b'{"type": 5, "value": "1"}',
    b'{"type": "int"}',
    b'{"error": "no"}',
    b'{"error": {"type": "A", "message": "m", "line": "one"}}',
    b'{"type": "int", "value": "1"} {"type": "int", "value": "2"}',
]


@pytest.mark.parametrize(("code", "value"), FULL_PYTHON)
async def test_it_is_all_of_python(cpython: PythonTool, code: str, value: str) -> None:
    execution = await cpython.execute(code)
    assert execution["error"] is None
    assert execution["value"] == value


@pytest.mark.parametrize("package", ["dateutil", "numpy", "sympy"])
async def test_packages_for_calculating_are_there_if_they_are_installed(cpython: PythonTool, package: str) -> None:
    if not importlib.util.find_spec(package):
        pytest.skip(f"{package} is not installed")
    codes = {
        "dateutil": "from dateutil.relativedelta import relativedelta as ago\nfrom datetime import date\n"
        "answer = (date(2024, 2, 29) + ago(months=+2)).month",
        "numpy": "import numpy as np\nanswer = np.linalg.det(np.eye(3)) + np.arange(3).sum()",
        "sympy": "from sympy import symbols, solve\nx = symbols('x')\nanswer = max(solve(x**2 - 16))",
    }
    execution = await cpython.execute(codes[package])
    assert execution["error"] is None
    assert float(execution["value"]) == 4


async def test_other_packages_are_not_there(cpython: PythonTool) -> None:
    for package in ("errata", "langchain_core", "pip", "pytest"):
        execution = await cpython.execute(f"import {package}")
        assert execution["error"]
        assert execution["error"]["type"] == "ModuleNotFoundError"


@pytest.mark.parametrize("forgery", FORGERIES)
def test_a_result_that_is_not_one_is_nothing(forgery: bytes) -> None:
    assert _parsed(forgery) == {}


async def test_a_forged_result_is_only_the_programs_own(cpython: PythonTool) -> None:
    forged = (
        "import os\nfor fd in range(32):\n    try: os.write(fd, {!r})\n    except OSError: pass\n{}\nanswer = 'honest'"
    )
    result = b'{"type": "int", "value": "42", "backend": "host", "seconds": -1}'
    execution = await cpython.execute(forged.format(result, "os._exit(0)"))
    assert (execution["value"], execution["backend"]) == ("42", "cpython")
    assert execution["seconds"] >= 0

    execution = await python_tool("cpython", seconds=1).execute(forged.format(result, "while True: pass"))
    assert execution["error"]
    assert execution["error"]["type"] == "TimeoutError"
    assert execution["value"] == ""

    execution = await cpython.execute(forged.format(b"x" * 1000 + b"\nready\n", ""))
    assert execution["error"]
    assert "before there was a result" in execution["error"]["message"]


@pytest.mark.parametrize(
    ("code", "type", "message"),
    [
        ("import os\nos._exit(0)", "SystemExit", "before there was a result"),
        ("import os\nos.kill(os.getpid(), 11)", "SystemError", "SIGSEGV"),
        ("import os\nos.kill(os.getpid(), 9)", "SystemError", "SIGKILL"),
        ("import ctypes\nctypes.string_at(0)", "SystemError", "SIGSEGV"),
        ("import os\nos.closerange(0, 32)", "SystemExit", "before there was a result"),
    ],
)
async def test_a_program_that_ends_its_interpreter_is_told_so(
    cpython: PythonTool, code: str, type: str, message: str
) -> None:
    execution = await cpython.execute(code)
    assert execution["error"]
    assert execution["error"]["type"] == type
    assert message in execution["error"]["message"]


@pytest.mark.usefixtures("cpython")
async def test_a_program_cut_off_leaves_what_it_printed() -> None:
    execution = await python_tool("cpython", seconds=0.5).execute("print('so far')\nwhile True: pass")
    assert execution["output"] == "so far\n"


async def test_nothing_is_left_of_a_program_that_was_cut_off(isolation: str) -> None:
    if isolation:
        pytest.skip(isolation)
    before = _descriptors()
    run = asyncio.create_task(python_tool("cpython", seconds=1).execute("import time\ntime.sleep(60)"))
    await asyncio.sleep(0.5)
    inside = [child for sandbox in _children(os.getpid()) for child in _children(sandbox)]
    inside += [child for process in inside for child in _children(process)]
    await run
    await asyncio.sleep(0.2)
    assert inside
    assert not [process for process in inside if _exists(process)]
    assert _descriptors() <= before + 2


@pytest.mark.usefixtures("cpython")
async def test_a_run_called_off_before_it_began_never_begins() -> None:
    child = Child(b"{}", seconds=1, keep_output=1, keep_result=1)
    child.kill()
    with pytest.raises(SandboxError, match="cancelled"):
        child.run()


async def test_without_bubblewrap_it_refuses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("errata.tools.python.walls.shutil.which", lambda name: None)
    with pytest.raises(ConfigurationError, match=r"bubblewrap.*apt install"):
        await CPythonInterpreter(1, 128).run("answer = 1")


@pytest.mark.usefixtures("cpython")
async def test_with_walls_that_do_not_hold_it_refuses(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without its filter of system calls the probe can make sockets and processes."""
    allow_all = bytes.fromhex("060000000000ff7f")
    monkeypatch.setattr(child_module, "syscall_filter", lambda: allow_all)
    monkeypatch.setattr(cpython_module._Walls, "hold", False)
    with pytest.raises(ConfigurationError, match="only this was refused: files other_files new_files privileges"):
        await CPythonInterpreter(1, 128).run("answer = 1")
    assert not cpython_module._Walls.hold


async def test_a_launcher_that_fails_is_a_refusal_with_its_reason(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    launcher = tmp_path / "bwrap"
    launcher.write_text("#!/bin/sh\necho 'bwrap: No permissions to create new namespace' >&2\nexit 1\n")
    launcher.chmod(0o755)
    monkeypatch.setattr("errata.tools.python.walls.shutil.which", lambda name: str(launcher))
    monkeypatch.setattr(cpython_module._Walls, "hold", False)
    with pytest.raises(ConfigurationError, match="No permissions to create new namespace"):
        await CPythonInterpreter(1, 128).run("answer = 1")


async def test_a_sandbox_that_does_not_start_is_given_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    launcher = tmp_path / "bwrap"
    launcher.write_text("#!/bin/sh\nexec sleep 3600\n")
    launcher.chmod(0o755)
    monkeypatch.setattr("errata.tools.python.walls.shutil.which", lambda name: str(launcher))
    monkeypatch.setattr(child_module, "START", 0.2)
    with pytest.raises(SandboxError, match="did not start"):
        await CPythonInterpreter(1, 128).run_unexamined("answer = 1")


@pytest.mark.usefixtures("cpython")
async def test_the_walls_are_examined_once(monkeypatch: pytest.MonkeyPatch) -> None:
    ran: list[str] = []
    unexamined = CPythonInterpreter.run_unexamined

    async def counted(self: CPythonInterpreter, code: str) -> object:
        ran.append(code)
        return await unexamined(self, code)

    monkeypatch.setattr(CPythonInterpreter, "run_unexamined", counted)
    monkeypatch.setattr(cpython_module._Walls, "hold", False)
    for _ in range(3):
        await CPythonInterpreter(5, 128).run("answer = 1")
    assert [code == "answer = 1" for code in ran] == [False, True, True, True]


@pytest.mark.usefixtures("cpython")
def test_an_interpreter_within_the_scratch_folder_is_not_covered_by_it() -> None:
    laid_out = command(3)
    assert laid_out.index("/tmp") < laid_out.index("--ro-bind")


def test_the_filter_knows_its_machines(monkeypatch: pytest.MonkeyPatch) -> None:
    lengths = set()
    for machine in ("x86_64", "aarch64"):
        monkeypatch.setattr("errata.tools.python.seccomp.platform.machine", lambda machine=machine: machine)
        lengths.add(len(syscall_filter()) % 8)
    assert lengths == {0}
    monkeypatch.setattr("errata.tools.python.seccomp.platform.machine", lambda: "pdp11")
    with pytest.raises(ConfigurationError, match="pdp11"):
        syscall_filter()


def _children(process: int) -> list[int]:
    found: list[int] = []
    for task in Path(f"/proc/{process}/task").glob("*/children"):
        try:
            found += [int(child) for child in task.read_text().split()]
        except OSError:
            continue
    return found


def _exists(process: int) -> bool:
    return Path(f"/proc/{process}").exists()


def _descriptors() -> int:
    return len(os.listdir("/proc/self/fd"))
