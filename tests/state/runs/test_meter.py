"""Counting: nothing is counted twice or forgotten, and time that overlaps counts once."""

import asyncio
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from langchain_core.messages import AIMessage

from errata.state.runs.meter import NOTHING, add_interval, add_usage, metered, seconds, spend, stopwatch

from ...fakes import FakeChatModel

INTERVALS = st.lists(
    st.tuples(st.integers(0, 30), st.integers(0, 10)).map(lambda pair: [float(pair[0]), float(sum(pair))]), max_size=8
)


@given(INTERVALS, INTERVALS)
def test_a_union_of_intervals_covers_what_they_cover(first: list[list[float]], second: list[list[float]]) -> None:
    union = add_interval(add_interval(None, first), second)
    ticks = {tick for start, end in [*first, *second] for tick in range(int(start), int(end))}
    assert seconds(union) == len(ticks)
    assert all(left[1] < right[0] for left, right in pairwise(union)), "sorted, with gaps between"
    assert union == add_interval(add_interval(None, second), first), "whichever comes first"


@given(st.lists(st.dictionaries(st.sampled_from(["llm_calls", "searches", "cost"]), st.integers(0, 9)), max_size=6))
def test_usage_adds_up(spent: list[dict[str, float]]) -> None:
    total = None
    for amounts in spent:
        total = add_usage(total, amounts)
    for name in ("llm_calls", "searches", "cost"):
        known = (total or NOTHING).get(name, 0)
        assert known == sum(amounts.get(name, 0) for amounts in spent)


async def test_a_meter_hears_of_what_runs_at_the_same_time_within() -> None:
    async def work(number: int) -> None:
        await asyncio.sleep(0)
        spend(searches=number)

    spend(searches=100)
    with metered() as meter:
        await asyncio.gather(work(1), work(2))
        await asyncio.create_task(work(4))
        await asyncio.to_thread(spend, searches=8)
    spend(searches=100)
    assert meter.spent == {"searches": 15}


def test_a_clock_that_is_set_back_takes_no_time_off(monkeypatch: pytest.MonkeyPatch) -> None:
    measured = stopwatch()
    monkeypatch.setattr("time.time", lambda: 0.0)
    start, end = measured()
    assert 0 <= end - start < 60


async def test_two_meters_side_by_side_do_not_mix() -> None:
    async def run(number: int) -> dict[str, float]:
        with metered() as meter:
            for _ in range(3):
                await asyncio.sleep(0)
                spend(searches=number)
        return meter.spent

    one, ten = await asyncio.gather(run(1), run(10))
    assert (one, ten) == ({"searches": 3}, {"searches": 30})


async def test_model_calls_and_tokens_are_heard_of_wherever_they_are_made() -> None:
    used = {"input_tokens": 7, "output_tokens": 2, "total_tokens": 9}
    model = FakeChatModel(replies=[AIMessage("Hi", usage_metadata=used)])
    with metered() as meter:
        await asyncio.gather(model.ainvoke("one"), (model | str).ainvoke("two"))
        await asyncio.to_thread(model.invoke, "three")
    assert meter.spent == {"llm_calls": 3, "input_tokens": 21, "output_tokens": 6}


async def test_a_model_that_reports_no_tokens_is_counted_all_the_same() -> None:
    with metered() as meter:
        await FakeChatModel(replies=["Hi"]).ainvoke("one")
    assert meter.spent == {"llm_calls": 1}


async def test_a_call_that_failed_is_not_counted() -> None:
    with metered() as meter, pytest.raises(RuntimeError):
        await FakeChatModel(replies=[RuntimeError("down")]).ainvoke("one")
    assert meter.spent == {}


async def test_tokens_that_the_provider_had_in_its_cache_are_told() -> None:
    used: Any = {"input_tokens": 70, "output_tokens": 2, "total_tokens": 72, "input_token_details": {"cache_read": 64}}
    with metered() as meter:
        await FakeChatModel(replies=[AIMessage("Hi", usage_metadata=used)]).ainvoke("one")
    assert meter.spent == {"llm_calls": 1, "input_tokens": 70, "output_tokens": 2, "cached_tokens": 64}


@pytest.mark.parametrize("count", [float("nan"), float("inf"), -500_000, 10**400, "many", None])
async def test_a_count_of_tokens_that_cannot_be_one_is_not_counted(count: Any) -> None:
    used: Any = {
        "input_tokens": 70,
        "output_tokens": count,
        "total_tokens": 72,
        "output_token_details": {"reasoning": count},
    }
    reply = AIMessage("Hi")
    reply.usage_metadata = used
    with metered() as meter:
        await FakeChatModel(replies=[reply]).ainvoke("one")
    assert meter.spent == {"llm_calls": 1, "input_tokens": 70}
