"""The bounds on asking a model: how many requests at once and a second, for how long, and how often again."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, TypeVar

from langchain_core.rate_limiters import InMemoryRateLimiter
from tenacity import AsyncRetrying, RetryCallState, retry_if_exception, stop_after_attempt, wait_random_exponential

from ..state import Context
from .refusals import status

T = TypeVar("T")

TRANSIENT = frozenset({408, 409, 425, 429, 500, 502, 503, 504, 529})
"""HTTP statuses after which the same request may succeed."""
LONGEST_WAIT = 30.0
"""Seconds: the most that is waited before a further try, whatever the server asks for."""


@dataclass
class Bounds:
    """What all requests to one model share on one event loop."""

    slots: asyncio.Semaphore
    limiter: InMemoryRateLimiter | None

    async def keep(
        self, send: Callable[[], Awaitable[T]], context: Context, is_final: Callable[[BaseException], bool]
    ) -> T:
        """Send a request when it may be sent, and again after a passing fault.

        Args:
            send: Sends it once.
            context: Says how long a reply is waited for, and how often a request is sent again.
            is_final: Whether an error would only come again, whatever its status says.
        """
        tries = AsyncRetrying(
            retry=retry_if_exception(lambda error: is_transient(error) and not is_final(error)),
            stop=stop_after_attempt(context.retries + 1),
            wait=_wait,
            reraise=True,
        )
        async for attempt in tries:
            with attempt:
                async with self.slots:
                    if self.limiter:
                        await self.limiter.aacquire()
                    async with asyncio.timeout(context.timeout):
                        reply = await send()
        return reply


@lru_cache(maxsize=64)
def limiter(limits: tuple[Any, ...]) -> InMemoryRateLimiter | None:
    """What keeps to so many requests a second, on all event loops together.

    Args:
        limits: What tells those who share it from others, and at the end the number.
    """
    rate = limits[-1]
    return InMemoryRateLimiter(requests_per_second=rate, check_every_n_seconds=0.02) if rate else None


def is_transient(error: BaseException) -> bool:
    """A passing fault: a status that says so, or a connection that broke. A timeout is not: it was waited for."""
    if (found := status(error)) is not None:
        return found in TRANSIENT
    name = type(error).__name__
    return isinstance(error, ConnectionError) or (name.endswith("ConnectionError") and "Timeout" not in name)


_backoff = wait_random_exponential(multiplier=0.5, max=LONGEST_WAIT)


def _wait(attempt: RetryCallState) -> float:
    """Wait as long as the server asks for, or else exponentially longer, with jitter."""
    error = attempt.outcome.exception() if attempt.outcome else None
    headers = getattr(getattr(error, "response", None), "headers", {})
    try:
        return min(float(headers["retry-after"]), LONGEST_WAIT)
    except (KeyError, ValueError):
        return _backoff(attempt)
