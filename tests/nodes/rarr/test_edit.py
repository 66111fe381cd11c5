"""The guard: an edit that changes too much, or nothing, is refused."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from errata.nodes.rarr.edit import guard
from errata.state import Context

LONG = "The tower was completed in 1899 and stands in Lyon, where it is seen from everywhere in the city by everyone."


def test_a_small_edit_passes() -> None:
    assert guard(LONG, "1899", "1889", Context()) == ""


@pytest.mark.parametrize(
    ("text", "before", "after", "why"),
    [
        (LONG, "1899", "1899", "nothing"),
        ("1899", "1899", "", "leaves nothing"),
        ("  Lyon ", "Lyon", "", "leaves nothing"),
        (LONG, "1899", "1899, or so they say in books that nobody reads any more", "more than 50"),
        ("It is in Lyon.", "in Lyon", "somewhere", "more than 50%"),
        (LONG, "", "proudly ", "adds something"),
        (LONG, "Lyon", "Lyon, France", "adds something"),
    ],
)
def test_an_edit_that_goes_too_far_is_refused(text: str, before: str, after: str, why: str) -> None:
    assert why in guard(text, before, after, Context())


@pytest.mark.parametrize(("before", "after"), [("", "not "), ("", "不"), ("330", "330 million"), ("and", "or")])
def test_a_negation_and_the_unit_of_a_number_may_be_added(before: str, after: str) -> None:
    assert guard(LONG, before, after, Context()) == ""


def test_the_limits_are_the_callers() -> None:
    after = "x" * 60
    assert guard(LONG, "1899", after, Context())
    assert guard(LONG, "1899", after, Context(max_edit_chars=60, max_edit_share=1)) == ""


@given(st.integers(1, 80), st.integers(1, 60))
def test_the_published_limit_is_what_changes_not_what_is_shown(kept: int, changed: int) -> None:
    """A long span of which little changes is a small edit."""
    before, after = "k" * kept + "a" * changed, "k" * kept + "b" * changed
    text = before + "." * 200
    assert (guard(text, before, after, Context()) == "") == (changed <= 50)
