"""The statements that methods are measured on, and what rules come to on those that they were not developed on."""

import pytest

from benchmarks.statements import SETS, measure, statements
from errata.state import Context


@pytest.mark.parametrize("name", SETS)
def test_half_of_the_statements_are_true_and_each_wrong_one_has_one_place_that_is_wrong(name: str) -> None:
    every = statements(name)
    assert sum(each.is_true for each in every) == len(every) / 2
    assert len({each.text for each in every}) == len(every)
    assert all(each.document != each.unrelated["text"] for each in every)


@pytest.mark.parametrize("unrelated", [False, True])
@pytest.mark.parametrize(("name", "least"), [("later", 4), ("third", 2), ("fourth", 0), ("fifth", 0)])
async def test_rules_spoil_no_statement(name: str, least: int, unrelated: bool) -> None:
    told: list[None] = []
    every = statements(name)
    figures = await measure("ground", every, Context(), unrelated, at_once=8, told=lambda: told.append(None))
    assert figures["true"] == {"right": len(every) / 2}
    assert figures["wrong"]["spoilt"] == figures["called supported though wrong"] == 0
    assert figures["wrong"]["right"] >= (0 if unrelated else least)
    assert len(told) == len(every)
