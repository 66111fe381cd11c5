"""Bound methods as keys: the program means the same, and runs in the small interpreter."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from errata.tools.python import python_tool
from errata.tools.python.keys import with_lambdas

AGES = "ages = {'Ann': 7, 'Ben': 12, 'Cem': 9}\n"


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("max(ages, key=ages.get)", "Ben"),
        ("min(ages, key = ages.get)", "Ann"),
        ("sorted(ages, key=ages.get, reverse=True)", "['Ben', 'Cem', 'Ann']"),
        ("sorted(\n    ages,\n    key=ages.get,  # the oldest last\n)", "['Ann', 'Cem', 'Ben']"),
        ("(max(ages, key=ages.get), min(ages, key=ages.get))", "('Ben', 'Ann')"),
        ("max(ages.items(), key=lambda item: item[1])[0]", "Ben"),
        ("dict(key=ages)['key']['Ann']", "7"),
    ],
)
async def test_monty_can_run_it(expression: str, value: str) -> None:
    code = f"{AGES}answer = {expression}"
    assert (await python_tool("monty").execute(code))["value"] == value
    assert with_lambdas(code).count("\n") == code.count("\n")


@pytest.mark.parametrize(
    "code",
    [
        "key = ages.get, 1",
        "f(key=item.count)",
        "max(ages, key=ages.get(1))",
        "max(ages, key=(ages.get))",
        "max(ages, key=len)",
        "max(ages, key=",
        "'",
    ],
)
def test_anything_else_stays_as_it_is(code: str) -> None:
    assert with_lambdas(code) == code


@given(st.lists(st.sampled_from(["max", "(", ")", "key", "=", ".", "get", "ages", ",", "\n", " ", "'", "[", "]", "#"])))
def test_no_text_is_too_odd(pieces: list[str]) -> None:
    code = "".join(pieces)
    assert with_lambdas(code).count("\n") == code.count("\n")
    if "key" not in code:
        assert with_lambdas(code) == code
