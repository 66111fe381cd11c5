"""The comparison of the interpreters on programs that models wrote."""

from dataclasses import dataclass
from typing import ClassVar

import pytest

from benchmarks.programs import compared, written
from errata.tools.python import Execution, Interpreter, PythonTool, python_tool
from errata.tools.python.execution import executed, failed


@dataclass(frozen=True)
class Calculator(Interpreter):
    """Stands in for CPython: it has `fractions`, and rounds up."""

    name: ClassVar[str] = "calculator"

    async def run(self, code: str) -> Execution:
        error = failed("NameError", "name 'x' is not defined") if "x" in code.split() else None
        value = {"answer = 6 * 7": "42", "answer = round(2.675, 2)": "2.68"}.get(code, "1/3")
        return executed(self.name, value="" if error else value, error=error)


async def test_programs_are_the_same_different_refused_or_failed(capsys: pytest.CaptureFixture[str]) -> None:
    programs = [
        "answer = 6 * 7",
        "answer = round(2.675, 2)",
        "from fractions import Fraction\nanswer = Fraction(1, 3)",
        "answer = x + 1",
    ]
    counts = await compared(programs, python_tool("monty"), PythonTool(interpreter=Calculator()))
    assert counts == {"same": 1, "different": 1, "refused": 1, "failed in both": 1}
    assert capsys.readouterr().out == "answer = round(2.675, 2)\n  monty: 2.67\n  CPython: 2.68\n\n"


def test_every_program_of_a_result_counts() -> None:
    evidence = [{"title": "Execution", "query": "answer = 3"}, {"title": "Paris", "query": "Where?"}]
    row = {"original": "answer = 1", "text": "", "edits": [{"after": "answer = 2"}], "evidence": evidence}
    assert list(written([row])) == ["answer = 1", "answer = 2", "answer = 3"]
