"""Amounts: which may be of the same."""

import pytest

from errata.state.text.amounts import comparable
from errata.state.text.values import value


@pytest.mark.parametrize(
    ("one", "other", "are"),
    [
        ("5 hours", "32 km", False),
        ("5个小时", "32公里", False),
        ("10 miles", "16 km", True),
        ("5 hours", "300 minutes", True),
        ("$5", "€7", True),
        ("$5", "7 km", False),
        ("40 %", "40 km", False),
        ("5", "7 km", True),
    ],
)
def test_amounts_of_different_kinds_are_not_compared(one: str, other: str, are: bool) -> None:
    mine, theirs = value(one).amount, value(other).amount
    assert mine is not None
    assert theirs is not None
    assert comparable(mine, theirs) is are
