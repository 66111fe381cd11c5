"""The bounds on asking a model: how many requests at once and a second, for how long, and how often again."""

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import TypeVar

from tenacity import AsyncRetrying, RetryCallState, retry_if_exception, stop_after_attempt, wait_random_exponential

from ...state import Context
from .habits import Habits
from .refusals import status

T = TypeVar("T")

TRANSIENT = frozenset({408, 409, 425, 429, 500, 502, 503, 504, 529})
"""HTTP statuses after which the same request may succeed."""
LONGEST_WAIT = 30.0
"""Seconds: the most that is waited before a further try, whatever the server asks for."""


class Gate:
    """Lets requests to one model through, on one event loop.

    All runs share the count of requests under way and the time of the last one. Each keeps to the bounds of its own
    settings, so that nothing has to be kept for other settings, and no run gets past the bounds of another by its own.
    """

    def __init__(self, habits: Habits) -> None:
        self._habits = habits
        self._under_way = 0
        self._waiting: dict[asyncio.Future[None], int] = {}

    async def keep(
        self, send: Callable[[], Awaitable[T]], context: Context, is_final: Callable[[BaseException], bool]
    ) -> T:
        """Send a request when it may be sent, and again after a passing fault.

        Args:
            send: Sends it once.
            context: Says how many requests may be under way, how long a reply is waited for, and how often a request
                is sent again.
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
                async with self._passed(context.max_concurrency, context.requests_per_second):
                    async with asyncio.timeout(context.timeout):
                        reply = await send()
        return reply

    @asynccontextmanager
    async def _passed(self, at_once: int, per_second: float | None) -> AsyncIterator[None]:
        while True:
            await self._enter(at_once)
            due = self._habits.asked + 1 / per_second if per_second else 0.0
            if (wait := due - time.monotonic()) <= 0:
                break
            self._leave()  # who waits for their turn holds up nobody
            await asyncio.sleep(wait)
        self._habits.asked = time.monotonic()
        try:
            yield
        finally:
            self._leave()

    async def _enter(self, at_once: int) -> None:
        if self._under_way < at_once:
            self._under_way += 1
            return
        place = asyncio.get_running_loop().create_future()
        self._waiting[place] = at_once
        try:
            await place
        except asyncio.CancelledError:
            if not self._waiting.pop(place, None):
                self._leave()  # the place was given already
            raise

    def _leave(self) -> None:
        """Give the place to the first who may have it."""
        self._under_way -= 1
        for place, at_once in self._waiting.items():
            if self._under_way < at_once and not place.done():
                self._under_way += 1
                del self._waiting[place]
                place.set_result(None)
                return


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
