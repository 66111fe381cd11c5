"""Choosing an interpreter, and falling back from one to the other."""

import pytest

from errata.state.errors import ConfigurationError
from errata.tools.python import python_tool
from errata.tools.python.lacking import is_lacking

LACKING = [
    "import numpy",
    "from fractions import Fraction",
    "import statistics",
    "import calendar",
    "import sympy as sp",
    "from collections import OrderedDict",
    "from math import *",
    "def g():\n    yield 1",
    "class A(Exception):\n    pass",
    "x = [1]\ndel x[0]",
    "answer = (3.0).is_integer()",
    "answer = str.maketrans('a', 'b')",
    "import sys\nsys.exit()",
    "answer = vars()",
    "import re\nanswer = re.sub('a', lambda m: 'b', 'a')",
]

MISTAKES = [
    "1 / 0",
    "answer = total",
    "answer = 'a'.size()",
    "import math\nanswer = math.square(2)",
    "class A:\n    pass\n\nanswer = A().is_integer",
    "x = (",
    "raise NotImplementedError",
    "answer = 'a' + 1",
    "while True: pass",
]


@pytest.mark.parametrize("code", LACKING)
async def test_what_monty_lacks_is_told_from_a_mistake(code: str) -> None:
    execution = await python_tool("monty").execute(code)
    assert execution["error"]
    assert execution["error"]["lacking"], execution["error"]


@pytest.mark.parametrize("code", MISTAKES)
async def test_a_mistake_is_not_blamed_on_monty(code: str) -> None:
    execution = await python_tool("monty", seconds=0.5).execute(code)
    assert execution["error"]
    assert not execution["error"]["lacking"], execution["error"]


def test_an_error_is_judged_by_names_only() -> None:
    assert not is_lacking("AttributeError", "module 'errata' has no attribute 'x'")
    assert not is_lacking("AttributeError", "anything else")
    assert not is_lacking("NameError", "anything else")
    assert is_lacking("AttributeError", "'Counter' object has no attribute 'total'")


async def test_auto_stays_with_monty_where_it_can() -> None:
    execution = await python_tool(allow_cpython=True).execute("answer = 1")
    assert execution["backend"] == "monty"


async def test_auto_says_how_to_allow_what_monty_lacks() -> None:
    execution = await python_tool().execute("x = 1\nimport statistics")
    assert execution["error"]
    assert execution["error"]["line"] == 2
    assert execution["error"]["message"].startswith("No module named 'statistics' (not available here; allow_cpython=")


@pytest.mark.usefixtures("cpython")
async def test_auto_falls_back_if_it_may() -> None:
    tool = python_tool(allow_cpython=True, seconds=10)
    execution = await tool.execute("from fractions import Fraction\nanswer = Fraction(1, 3) + Fraction(1, 6)")
    assert (execution["value"], execution["type"], execution["backend"]) == ("1/2", "Fraction", "cpython")
    mistake = await tool.execute("1 / 0")
    assert mistake["backend"] == "monty"


def test_settings_that_cannot_work_are_refused() -> None:
    with pytest.raises(ConfigurationError, match="auto, monty, cpython"):
        python_tool("docker")  # type: ignore[arg-type]
    for settings in ({"seconds": 0}, {"seconds": float("nan")}, {"memory_mb": 1}):
        with pytest.raises(ConfigurationError):
            python_tool(**settings)


def test_cpython_is_for_linux(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("errata.tools.python.choose.sys.platform", "darwin")
    with pytest.raises(ConfigurationError, match="Linux"):
        python_tool("cpython")
    assert python_tool().interpreter.name == "auto"
