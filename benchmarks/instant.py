"""Runs in which nothing waits: what models say is known, and tools have everything at hand. What is left is our own."""

import json
from typing import Any

from errata.graphs import load
from errata.models import task
from errata.models.tasks import TASKS
from errata.state import Context
from errata.state.parts import Invokable

from .cases import Case


class Known:
    """A task model that asks another one when it is first asked something, and knows what it said from then on."""

    def __init__(self, asked: Invokable) -> None:
        self.asked = asked
        self.said: dict[str, Any] = {}

    async def ainvoke(self, input: Any, config: Any = None, **kwargs: Any) -> Any:
        key = json.dumps(input, default=_content)
        if key not in self.said:
            self.said[key] = await self.asked.ainvoke(input)
        return self.said[key]


def _content(message: Any) -> list[Any]:
    """What is the same in two runs of a message: its number is not."""
    return [message.content, getattr(message, "tool_calls", None)]


async def instant(case: Case, origin: str) -> Context:
    """Settings with which item 1 of a case waits for nothing. The model at `origin` is asked once, here."""
    asking = case.items.world.at_hand(origin, **case.settings)
    # A policy that is handed in would be asked where rules choose.
    known = {name: Known(task(asking, each)) for name, each in TASKS.items() if name != "policy"}
    knowing = asking.model_copy(update={"backends": known})
    await case.run(1, knowing)
    return knowing


async def node_runs(case: Case, context: Context) -> int:
    """How many nodes item 1 of a case goes through, those of graphs in graphs included."""
    updates = load(case.method).astream(case.items.given(1), context=context, stream_mode="updates", subgraphs=True)
    return sum([len(update) async for _, update in updates])
