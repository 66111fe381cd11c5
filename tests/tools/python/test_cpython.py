"""CPython between walls: what it can do, what its result may say, and that it refuses where there are no walls."""

import asyncio
import importlib.util
import os
from pathlib import Path

import pytest

from errata.state.errors import ConfigurationError
from errata.tools.python import PythonTool, SandboxError
from errata.tools.python import cpython as cpython_module

from .conftest import cpython_tool

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
    "b''",
    "b'null'",
    "b'42'",
    "b'[' * 60_000",
    "b'9' * 10_000",
    "b'\\xff'",
    """b'{"type": 5, "value": "1"}'""",
    """b'{"type": "int"}'""",
    """b'{"error": "no"}'""",
    """b'{"error": "A", "message": "m", "line": "one"}'""",
    """b'{"type": "int", "value": "1"} {"type": "int", "value": "2"}'""",
]
WRITING = "import os\nfor fd in range(32):\n    try: os.write(fd, {})\n    except OSError: pass\n{}\nanswer = 'honest'"


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


@pytest.mark.parametrize("forgery", FORGERIES, ids=range(len(FORGERIES)))
async def test_a_result_that_is_not_one_is_nothing(cpython: PythonTool, forgery: str) -> None:
    execution = await cpython.execute(WRITING.format(forgery, "os._exit(0)"))
    assert execution["error"]
    assert "before there was a result" in execution["error"]["message"]


async def test_a_forged_result_is_only_the_programs_own(cpython: PythonTool) -> None:
    result = """b'{"type": "int", "value": "42", "backend": "host", "seconds": -1}'"""
    execution = await cpython.execute(WRITING.format(result, "os._exit(0)"))
    assert (execution["value"], execution["backend"]) == ("42", "cpython")
    assert execution["seconds"] >= 0

    execution = await cpython_tool(1).execute(WRITING.format(result, "while True: pass"))
    assert execution["error"]
    assert execution["error"]["type"] == "TimeoutError"
    assert execution["value"] == ""


@pytest.mark.parametrize(
    ("code", "status"),
    [
        ("import os\nos._exit(0)", 0),
        ("import os\nos.kill(os.getpid(), 11)", 139),
        ("import os\nos.kill(os.getpid(), 9)", 137),
        ("import ctypes\nctypes.string_at(0)", 139),
        ("import os\nos.closerange(0, 32)", 120),
    ],
)
async def test_a_program_that_ends_its_interpreter_is_told_so(cpython: PythonTool, code: str, status: int) -> None:
    execution = await cpython.execute(code)
    assert execution["error"]
    assert execution["error"]["type"] == "SystemExit"
    assert f"before there was a result (status {status})" in execution["error"]["message"]


async def test_a_program_sees_nothing_of_the_caller_s_home(
    cpython: PythonTool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "key").write_text("the-secret")
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("OPENAI_API_KEY", "the-secret")
    code = "import os\nanswer = sorted(os.listdir('/')), sorted(os.environ), {}"
    hidden = [str(tmp_path), str(Path.home()), os.getcwd(), "/home", "/root", "/proc", "/sys", "/run", "/var", "/bin"]
    execution = await cpython.execute(code.format(f"[path for path in {hidden} if os.path.exists(path)]"))
    assert execution["value"].endswith(", [])")
    assert "the-secret" not in execution["value"]
    assert "HOME" not in execution["value"]
    assert "KEY" not in execution["value"]


async def test_several_processes_are_few(cpython: PythonTool) -> None:
    code = (
        "import os, time\nanswer = 1\ntry:\n    while os.fork():\n        answer += 1\n"
        "    time.sleep(60)\nexcept OSError:\n    pass"
    )
    assert (await cpython.execute(code))["value"] in ("2", "3", "4")


async def test_what_runs_beside_a_program_ends_with_it(cpython: PythonTool) -> None:
    code = "import os, time\nif not os.fork():\n    time.sleep(60)\nanswer = 1"
    async with asyncio.timeout(10):
        assert (await cpython.execute(code))["value"] == "1"


@pytest.mark.usefixtures("cpython")
async def test_a_program_cut_off_leaves_what_it_printed() -> None:
    execution = await cpython_tool(0.5).execute("print('so far')\nwhile True: pass")
    assert execution["output"] == "so far\n"


@pytest.mark.parametrize("end", ["cut off", "cancelled"])
@pytest.mark.usefixtures("cpython")
async def test_nothing_is_left_of_a_program(end: str) -> None:
    before = _descriptors()
    code = "import os, time\nos.fork()\ntime.sleep(60)"
    run = asyncio.create_task(cpython_tool(1 if end == "cut off" else 60).execute(code))
    await asyncio.sleep(0.6)
    inside = [child for sandbox in _children(os.getpid()) for child in _children(sandbox)]
    inside += [child for process in inside for child in _children(process)]
    if end == "cancelled":
        run.cancel()
    await asyncio.wait([run])
    await asyncio.sleep(0.2)
    assert len(inside) >= 2
    assert not [process for process in inside if _runs(process)]
    assert _descriptors() <= before + 2


@pytest.mark.usefixtures("cpython")
async def test_a_sandbox_that_this_system_refuses_is_a_refusal_with_its_reason(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    launcher = tmp_path / "bwrap"
    launcher.write_text("#!/bin/sh\necho 'bwrap: No permissions to create new namespace' >&2\nexit 1\n")
    launcher.chmod(0o755)
    monkeypatch.setattr("errata.tools.python.cpython.shutil.which", lambda name: str(launcher))
    with pytest.raises(ConfigurationError, match=r"No permissions to create new namespace\): install bubblewrap"):
        await cpython_tool().execute("answer = 1")


async def test_a_sandbox_that_does_not_start_is_given_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    launcher = tmp_path / "bwrap"
    launcher.write_text("#!/bin/sh\nexec sleep 3600\n")
    launcher.chmod(0o755)
    monkeypatch.setattr("errata.tools.python.cpython.shutil.which", lambda name: str(launcher))
    monkeypatch.setattr(cpython_module, "START", 0.2)
    with pytest.raises(SandboxError, match="did not start"):
        await cpython_tool().execute("answer = 1")


def _children(process: int) -> list[int]:
    found: list[int] = []
    for task in Path(f"/proc/{process}/task").glob("*/children"):
        try:
            found += [int(child) for child in task.read_text().split()]
        except OSError:
            continue
    return found


def _runs(process: int) -> bool:
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def _descriptors() -> int:
    return len(os.listdir("/proc/self/fd"))
