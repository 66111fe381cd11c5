"""The account of a batch: what its model calls cost over all its runs, and whether another one may be made.

Each call is recorded before it is made, and again when it is over. Calls in flight when a process was killed count as
paid, because nobody knows whether they were. So a budget of calls is never exceeded, however often a batch is killed,
and a budget in dollars only by the calls that were in flight when it was reached.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from ...state.errors import ErrataError

TOKENS = ("input_tokens", "output_tokens")


class OutOfBudget(ErrataError):
    """The budget of a batch has no room for another model call."""


@dataclass
class Account:
    """What was spent, and what is in flight. See `state.runs.spending.Account`.

    Attributes:
        note: Records an event permanently.
        budgets: The most of `llm_calls` and `cost`; None for no limit.
        prices: US dollars per million input and output tokens; None if unknown.
        under_way: The likely cost of each call in flight.
        refused: Whether a call was refused.
    """

    note: Callable[[Mapping[str, Any]], None]
    budgets: Mapping[str, float | None] = field(default_factory=dict)
    prices: tuple[float, float] | None = None
    spent: dict[str, float] = field(default_factory=dict)
    under_way: dict[int, float] = field(default_factory=dict)
    costliest: float = 0.0
    calls: int = 0
    refused: bool = False

    def read(self, event: Mapping[str, Any]) -> None:
        """Count an event of an earlier run. When another run begins, nothing before it is in flight any more."""
        if "call" in event:
            self.under_way[event["call"]] = event.get("cost", 0.0)
        elif "paid" in event:
            self._close(event["paid"], event.get("usage"))
        elif "run" in event:
            for call in list(self.under_way):
                self._close(call, None)

    @property
    def total(self) -> dict[str, float]:
        """What was spent, including everything in flight."""
        reserved = {"llm_calls": len(self.under_way), "cost": sum(self.under_way.values())}
        return {name: self.spent.get(name, 0) + reserved.get(name, 0) for name in self.spent.keys() | reserved.keys()}

    async def reserve(self, tokens: int) -> int:
        """Write a call to the journal and count its likely cost. Raises OutOfBudget if a budget is spent."""
        total = self.total
        for name, budget in self.budgets.items():
            if budget is not None and total[name] >= budget:
                self.refused = True
                raise OutOfBudget("the budget is spent: give the same command with a larger one")
        likely = max(self.costliest, self._cost({"input_tokens": tokens}))
        self.note({"call": self.calls + 1, "cost": likely})
        self.calls += 1
        self.under_way[self.calls] = likely
        return self.calls

    async def settle(self, call: int, usage: Mapping[str, float] | None) -> None:
        """Replace the likely cost of a call by what it used, and write that to the journal."""
        if usage and self.prices:
            usage = {**usage, "cost": self._cost(usage)}
        self.note({"paid": call, "usage": self._close(call, usage)})

    def _close(self, call: int, usage: Mapping[str, float] | None) -> dict[str, float]:
        likely = self.under_way.pop(call, 0.0)
        used = {"llm_calls": 1, "cost": likely} if usage is None else dict(usage)
        for name, amount in used.items():
            self.spent[name] = self.spent.get(name, 0) + amount
        self.costliest = max(self.costliest, used.get("cost", 0))
        return used

    def _cost(self, usage: Mapping[str, float]) -> float:
        tokens = [usage.get(name, 0) for name in TOKENS]
        return sum(n * price for n, price in zip(tokens, self.prices, strict=True)) / 1e6 if self.prices else 0.0
