"""Idioms that the small interpreter lacks: the program means the same, and runs in it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from errata.tools.python import python_tool
from errata.tools.python.idioms import portable

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
        ("next(name for name, age in ages.items() if age > 9)", "Ben"),
        ("next((name for name in ages if name > 'X'), 'nobody')", "nobody"),
        ("next(\n    (max(ages, key=ages.get) for name in ages),  # the oldest\n    'nobody',\n)", "Ben"),
        ("next(len(next(a for a in b)) for b in [['Ann', 'Ben']])", "3"),
        ("next(iter([1, 2]))", "1"),
    ],
)
async def test_monty_can_run_it(expression: str, value: str) -> None:
    code = f"{AGES}answer = {expression}"
    assert (await python_tool("monty").execute(code))["value"] == value
    assert portable(code).count("\n") == code.count("\n")


@pytest.mark.parametrize(
    "code",
    [
        "key = ages.get, 1",
        "f(key=item.count)",
        "max(ages, key=ages.get(1))",
        "max(ages, key=(ages.get))",
        "max(ages, key=len)",
        "max(ages, key=",
        "next(ages)",
        "next([a for a in ages], 1)",
        "next((1, [a for a in ages]))",
        "next((a)[b for c in d])",
        "deck.next(card for card in cards)",
        "def next(a, b):\n    for c in b: print(c)",
        "next(a for a in ages",
        "'",
    ],
)
def test_anything_else_stays_as_it_is(code: str) -> None:
    assert portable(code) == code


@given(
    st.lists(
        st.sampled_from(
            ["max", "next", "for", "(", ")", "key", "=", ".", "get", "ages", ",", "\n", " ", "'", "[", "]", "#"]
        )
    )
)
def test_no_text_is_too_odd(pieces: list[str]) -> None:
    code = "".join(pieces)
    assert portable(code).count("\n") == code.count("\n")
    if "key" not in code and "next" not in code:
        assert portable(code) == code
