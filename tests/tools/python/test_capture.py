"""Finding a last line that is an expression."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from errata.tools.python.capture import keep_last
from errata.tools.python.execution import MAX_CODE

from ...steps import steps

KEPT = [
    ("1", "z = (1)"),
    ("x\n\n", "z = (x)\n\n"),
    ("x = 1\nf(x) # why", "x = 1\nz = (f(x)) # why"),
    ("a; b;", "a; z = (b);"),
    ("f(\n a=1,\n)", "z = (f(\n a=1,\n))"),
    ("not x == y", "z = (not x == y)"),
    ("{'a': 1}['a']", "z = ({'a': 1}['a'])"),
]

UNCHANGED = [
    "x = 1",
    "x += 1",
    "x = y = 1",
    "if x: y",
    "if x:\n    y",
    "import x",
    "def f():\n    1",
    "@f\ndef g(): 1",
    "a; x = 1",
    "(",
    "'''",
    "'",
    "  x",
    "",
]


@pytest.mark.parametrize(("code", "kept"), KEPT)
def test_a_last_expression_is_kept(code: str, kept: str) -> None:
    assert keep_last(code, "z") == kept


@pytest.mark.parametrize("code", UNCHANGED)
def test_what_is_no_expression_stays_as_it_is(code: str) -> None:
    assert keep_last(code, "z") == code


@given(st.text(alphabet="ab1=+:;()[]{}'\"\\ \n\t#@", max_size=40))
def test_lines_keep_their_numbers_whatever_the_text(code: str) -> None:
    assert keep_last(code, "z").count("\n") == code.count("\n")


@pytest.mark.parametrize("part", ["(", "'\\'", "\\'", "a\n", '"""', "f'{", " \n", "1_", "é", "-"])
def test_hostile_text_costs_little_time(part: str) -> None:
    whole, half = ((part * MAX_CODE)[:length] for length in (MAX_CODE, MAX_CODE // 2))
    assert steps(lambda: keep_last(whole, "z")) < 3 * steps(lambda: keep_last(half, "z")) + 500
