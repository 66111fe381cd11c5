"""What many runs share that are paid for together: an account of their model calls, and the replies that are kept.

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
    """Who is asked before a model call is made, and told what it cost."""

    async def reserve(self, tokens: int) -> int:
        """Note that a call is about to be made.

        Args:
            tokens: How long the request is, about.

        Returns:
            The number of the call.

        Raises:
            ErrataError: If the budget has no room for it, or it cannot be noted.
        """

    async def settle(self, call: int, usage: Mapping[str, float] | None) -> None:
        """Note what a call used: nothing where it was refused, None where nobody knows, so that it counts as paid."""


@dataclass
class Spending:
    """What one of the runs is paid from.

    Attributes:
        account: None where nobody counts.
        replies: Where replies are kept; None where they are not.
        run: What tells the run from others, whenever it is run again.
        times: How often each request was made in this run: of equal ones each is to have a reply of its own.
    """

    account: Account | None = None
    replies: Shelf | None = None
    run: str = ""
    times: Counter[str] = field(default_factory=Counter)


_spending: ContextVar[Spending | None] = ContextVar("errata_spending", default=None)


@contextmanager
def spending_from(spending: Spending) -> Iterator[None]:
    """Pay for what runs in the block."""
    token = _spending.set(spending)
    try:
        yield
    finally:
        _spending.reset(token)


def current() -> Spending | None:
    """What the run at hand is paid from."""
    return _spending.get()
