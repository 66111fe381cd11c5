"""How deep waits are."""

import asyncio

from hypothesis import given
from hypothesis import strategies as st

from benchmarks.waits import Delay, depth

spans = st.tuples(st.integers(0, 50), st.integers(1, 50)).map(lambda span: (float(span[0]), float(sum(span))))


def test_waits_that_follow_from_each_other_add_up_and_those_at_once_do_not() -> None:
    assert depth([]) == 0
    assert depth([(0, 1), (1, 2), (2, 3)]) == 3
    assert depth([(0, 1), (0, 1.1), (0.9, 2)]) == 1
    assert depth([(0, 1), (0.5, 1.5), (1, 2), (1.6, 2.6), (2.6, 3)]) == 3


@given(st.lists(spans, max_size=12), spans)
def test_one_more_wait_makes_a_run_deeper_by_one_at_most(
    waits: list[tuple[float, float]], more: tuple[float, float]
) -> None:
    assert depth(waits) <= depth([*waits, more]) <= depth(waits) + 1


async def test_a_delay_remembers_when_it_was_waited_for() -> None:
    delay = Delay(0.001)
    await delay.wait()
    await asyncio.gather(delay.wait(), delay.wait())
    assert len(delay.waits) == 3
    assert depth(delay.waits) == 2
