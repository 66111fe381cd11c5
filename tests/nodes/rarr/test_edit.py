"""The guard: an edit that changes more than the paper's bound is refused, as a whole."""

from errata.nodes.rarr.edit import guard
from errata.state import Context

LONG = "The tower was completed in 1899 and stands in Lyon, where it is seen from everywhere in the city by everyone."


def test_an_edit_within_the_bound_passes() -> None:
    assert guard(LONG, [("1899", "1889"), ("Lyon", "Paris")], Context()) == ""
    assert guard(LONG, [("in Lyon", "not in Lyon")], Context()) == ""


def test_all_parts_of_an_edit_count_together() -> None:
    parts = [("1899", "1" * 30), ("Lyon", "L" * 30)]
    assert guard(LONG, parts, Context()).endswith("characters, more than 50")
    assert guard(LONG, parts, Context(max_edit_chars=100, max_edit_share=1)) == ""


def test_more_than_half_of_a_short_text_is_too_much() -> None:
    assert guard("It is old.", [("old", "very new")], Context()).endswith("characters, more than 50%")


def test_nothing_is_no_text() -> None:
    assert guard("Old.", [("Old.", "")], Context()) == "it leaves nothing of the text"
