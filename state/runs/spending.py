"""What runs that are paid for together share: an account of their model calls, and the stored replies.

Whoever starts the runs opens it around each; it travels in a context variable, so that no step has to pass it on.
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Protocol

from .cache import Shelf


class Account(Protocol):
    """An account that is asked before each model call, and told what it cost."""

    async def reserve(self, tokens: int) -> int:
        """Record that a call is about to be made.

        Args:
            tokens: The approximate length of the request.

        Returns:
            The number of the call.

        Raises:
            ErrataError: If the budget has no room for it, or it cannot be recorded.
        """

    async def settle(self, call: int, usage: Mapping[str, float] | None) -> None:
        """Record what a call used: nothing if it was refused; None if unknown, and then it counts as paid."""


@dataclass
class Spending:
    """What one of the runs is paid from.

    Attributes:
        account: The account; None if nothing is counted.
        replies: Where replies are stored; None if they are not.
        run: What identifies the run, also when it is repeated.
        times: How often each request was made in this run, because equal requests need separate replies.
    """

    account: Account | None = None
    replies: Shelf | None = None
    run: str = ""
    times: Counter[str] = field(default_factory=Counter)


_spending: ContextVar[Spending | None] = ContextVar("errata_spending", default=None)


@contextmanager
def spending_from(spending: Spending) -> Iterator[None]:
    """Pay for everything that runs in the block."""
    token = _spending.set(spending)
    try:
        yield
    finally:
        _spending.reset(token)


def current() -> Spending | None:
    """The current run's spending."""
    return _spending.get()
