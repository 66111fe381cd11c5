"""What a run may still spend: calls, dollars and seconds, each of which ends it by its own name."""

from typing import Any

import pytest

from errata.models.tasks.correction import AGREEMENT, EDIT
from errata.nodes.budget import UNBOUNDED, affords, calls_left, why_spent
from errata.state import Context

from ..fakes import FakeChatModel
from .states import state, used


def asking(**bounds: Any) -> Context:
    return Context(model=FakeChatModel(replies=[""]), **bounds)


PRICED: dict[str, Any] = {"input_price": 1.0, "output_price": 0.0}


def test_what_asks_no_model_costs_no_calls() -> None:
    assert calls_left(state(usage=used(llm_calls=9)), Context(max_calls=1), AGREEMENT) == UNBOUNDED


@pytest.mark.parametrize(
    ("bounds", "usage", "left"),
    [
        ({}, used(llm_calls=100), UNBOUNDED),
        ({"max_calls": 3}, used(llm_calls=1), 2),
        ({"max_calls": 3}, used(llm_calls=5), 0),
        ({"max_cost": 1.0, **PRICED}, used(input_tokens=999_999), UNBOUNDED),
        ({"max_cost": 1.0, **PRICED}, used(input_tokens=1_000_000), 0),
        ({"max_cost": 1.0, "max_calls": 7, **PRICED}, used(llm_calls=1), 6),
    ],
)
def test_calls_and_dollars_are_counted_down(bounds: dict[str, Any], usage: Any, left: int) -> None:
    assert calls_left(state(usage=usage), asking(**bounds), AGREEMENT) == left


def test_time_runs_out_for_rules_too() -> None:
    late = state(worked=[[0.0, 11.0]])
    assert calls_left(late, Context(deadline=10), AGREEMENT) == 0
    assert calls_left(late, Context(deadline=12), AGREEMENT) == UNBOUNDED
    assert why_spent(late, Context(deadline=10))[0] == "deadline"


def test_several_tasks_need_a_call_each() -> None:
    known = state(usage=used(llm_calls=2))
    assert affords(known, asking(max_calls=4), AGREEMENT, EDIT)
    assert not affords(known, asking(max_calls=3), AGREEMENT, EDIT)
    only_one_asks = asking(max_calls=3, backends={"agreement": "rules"})
    assert affords(known, only_one_asks, AGREEMENT, EDIT)


def test_it_is_said_which_budget_is_spent() -> None:
    assert why_spent(state(usage=used(llm_calls=1)), asking(max_calls=1)) == (
        "budget",
        "the budget of model calls is spent",
    )
    poor = state(usage=used(input_tokens=2_000_000))
    assert why_spent(poor, asking(max_cost=1.5, **PRICED)) == ("budget", "the budget of $1.5 is spent")
