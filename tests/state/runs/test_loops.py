"""What is shared on an event loop: made once, open while it is used, and closed when others are used instead."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack

import pytest

from errata.state.runs.loops import MOST_UNUSED, shared


class Thing:
    def __init__(self) -> None:
        self.is_open = True

    def close(self) -> None:
        self.is_open = False


made: list[Thing] = []


async def make(stack: AsyncExitStack) -> Thing:
    await asyncio.sleep(0)
    made.append(Thing())
    stack.callback(made[-1].close)
    return made[-1]


@pytest.fixture(autouse=True)
def _nothing_made() -> None:
    made.clear()


async def use(key: object) -> Thing:
    async with shared(key, make) as thing:
        await asyncio.sleep(0)
        assert thing.is_open
        return thing


async def settled() -> None:
    for _ in range(5):
        await asyncio.sleep(0)


async def test_all_who_ask_at_once_get_the_same() -> None:
    assert len(set(await asyncio.gather(*(use("key") for _ in range(9))))) == 1
    assert await use("key") is made[0]


async def test_only_the_last_used_stay_open() -> None:
    for number in range(200):
        await use(number)
    await settled()
    assert [thing.is_open for thing in made] == [False] * (200 - MOST_UNUSED) + [True] * MOST_UNUSED
    assert await use(199) is made[199]
    assert await use(0) is made[-1], "what was closed is made again"


async def test_what_is_used_stays_open_and_shared_whatever_else_is_asked_for() -> None:
    async with shared("held", make) as held:
        for number in range(100):
            await use(number)
        await settled()
        assert held.is_open
        assert await use("held") is held


async def test_many_at_once_never_meet_a_closed_one() -> None:
    await asyncio.gather(*(use(number % 40) for number in range(2_000)))
    await settled()
    assert sum(thing.is_open for thing in made) == MOST_UNUSED


async def test_who_is_cancelled_while_it_is_made_leaves_it_to_the_others() -> None:
    gone, stays = (asyncio.create_task(use("key")) for _ in range(2))
    await asyncio.sleep(0)
    gone.cancel()
    assert await stays is made[0]
    with pytest.raises(asyncio.CancelledError):
        await gone


@pytest.mark.parametrize("at_once", [1, 3])
async def test_what_cannot_be_made_is_tried_again(at_once: int) -> None:
    async def fail(_: AsyncExitStack) -> Thing:
        await asyncio.sleep(0)
        raise OSError("not now")

    async def ask(how: Callable[[AsyncExitStack], Awaitable[Thing]]) -> Thing:
        async with shared("key", how) as thing:
            return thing

    came = await asyncio.gather(*(ask(fail) for _ in range(at_once)), return_exceptions=True)
    assert [str(each) for each in came] == ["not now"] * at_once
    assert await ask(make) is made[0]


def test_it_is_closed_with_its_loop() -> None:
    for _ in range(2):
        asyncio.run(use("key"))
    assert [thing.is_open for thing in made] == [False, False]
