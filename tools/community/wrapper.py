"""The base class of the searches through langchain-community."""

import asyncio
import contextvars
import threading
from abc import abstractmethod
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

from tenacity import AsyncRetrying, retry_if_exception_type, stop_after_attempt

from ...state import Evidence
from ...state.runs.loops import shared
from ..extras import require
from ..http import BUSY, pause, refused
from ..search import SearchError, evidence
from ..searches.online import OnlineSearch
from .swallowed import results_only

if TYPE_CHECKING:
    from contextlib import AsyncExitStack

    from ...state import Context

T = TypeVar("T")


class Busy(SearchError):
    """A refusal after which a retry may help."""


class CommunitySearch(OnlineSearch):
    """A search by a wrapper of langchain-community.

    The wrappers block, have no time limit and send as many requests as they are called for. So each call has its own
    thread, and the free services get one search at a time. Subclasses implement `_ask`.
    """

    service: ClassVar[str]
    """The name of the service."""
    package: ClassVar[str] = ""
    """What the wrapper imports, in the extra that has the name of the search."""

    @classmethod
    def access(cls, context: "Context") -> dict[str, Any]:
        """Nothing but the package, if it needs one."""
        if cls.package:
            name = cls.model_fields["name"].default
            require(f"{name} search", name, cls.package)
        return {}

    @abstractmethod
    def _ask(self, query: str, limit: int) -> list[dict[str, Any]]:
        """Run one search, blocking; returns the `text`, `title` and `source` of each result."""

    async def _carry_out(self, query: str, limit: int) -> list[Evidence]:
        async with shared(type(self), _one_at_a_time) as turns, turns:  # the service's time starts after the queue
            return await super()._carry_out(query, limit)

    async def _find(self, query: str, limit: int) -> list[Evidence]:
        tries = AsyncRetrying(
            retry=retry_if_exception_type(Busy),
            stop=stop_after_attempt(self.retries + 1),
            wait=pause,
            reraise=True,
        )
        try:
            results: list[dict[str, Any]] = await tries(in_thread, lambda: self._ask(query, limit))
        except OSError as error:  # the base class of the errors of requests and urllib
            raise unreachable(self.service) from error
        ranked = enumerate(results_only(results), start=1)
        return [evidence(query=query, **result, score=1 / place) for place, result in ranked]


def answered(service: str, status: int, refusal: str = "try again later") -> SearchError:
    """The error for an HTTP status other than success."""
    error = refused(service, status, refusal)
    return Busy(str(error)) if status in BUSY else error


def other_than_results(service: str) -> SearchError:
    """The error for an answer that contains no results."""
    return SearchError(f"{service} answered with something other than results: try again later")


def unreachable(service: str) -> SearchError:
    """The error for a service that could not be asked at all."""
    return SearchError(f"{service} cannot be reached: check the network, or try again later")


async def in_thread(work: Callable[[], T]) -> T:
    """Run blocking work in a thread that neither occupies a pool nor keeps the program from exiting."""
    loop = asyncio.get_running_loop()
    future: asyncio.Future[T] = loop.create_future()

    def finish(settle: Callable[[Any], None], outcome: Any) -> None:
        if not future.done():  # otherwise nobody is waiting any more
            settle(outcome)

    def carry_out() -> None:
        settle: Callable[[Any], None] = future.set_result
        outcome: Any = None
        try:
            outcome = work()
        except Exception as error:
            settle, outcome = future.set_exception, error
        with suppress(RuntimeError):  # the loop has ended
            loop.call_soon_threadsafe(finish, settle, outcome)

    threading.Thread(target=contextvars.copy_context().run, args=(carry_out,), daemon=True).start()
    return await future


async def _one_at_a_time(stack: "AsyncExitStack") -> asyncio.Semaphore:
    return asyncio.Semaphore(1)
