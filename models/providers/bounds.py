"""The limits on asking a model: concurrent requests, rate, time, and retries."""

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
"""In seconds: the longest wait before a retry, whatever the server asks for."""


class Gate:
    """Lets requests to one model through, on one event loop.

    All runs share the number of requests in flight and the time of the last one. Each keeps to the limits of its own
    settings, so nothing has to be stored for other settings, and no run can exceed another's limits with its own.
    """

    def __init__(self, habits: Habits) -> None:
        self._habits = habits
        self._under_way = 0
        self._waiting: dict[asyncio.Future[None], int] = {}

    async def keep(
        self, send: Callable[[], Awaitable[T]], context: Context, is_final: Callable[[BaseException], bool]
    ) -> T:
        """Send a request when its turn comes, and again after a temporary fault.

        Args:
            send: Sends it once.
            context: The settings: the most requests in flight, the timeout, and the number of retries.
            is_final: Whether an error would only occur again, whatever its status says.
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
            next_time = self._habits.asked + 1 / per_second if per_second else 0.0
            if (wait := next_time - time.monotonic()) <= 0:
                break
            self._leave()  # whoever waits for their turn blocks nobody
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
                self._leave()  # the place was already given
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
    """Whether a fault is temporary: a status that says so, or a broken connection, but not a timeout."""
    if (code := status(error)) is not None:
        return code in TRANSIENT
    name = type(error).__name__
    return isinstance(error, ConnectionError) or (name.endswith("ConnectionError") and "Timeout" not in name)


_backoff = wait_random_exponential(multiplier=0.5, max=LONGEST_WAIT)


def _wait(attempt: RetryCallState) -> float:
    """Wait as long as the server asks for, or otherwise exponentially longer, with jitter."""
    error = attempt.outcome.exception() if attempt.outcome else None
    headers = getattr(getattr(error, "response", None), "headers", {})
    try:
        asked_for = float(headers["retry-after"])
    except (KeyError, ValueError):
        return _backoff(attempt)
    return min(asked_for, LONGEST_WAIT) if asked_for >= 0 else _backoff(attempt)  # `nan` is not, either
