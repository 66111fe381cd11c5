"""A chat model that is reachable, and the bounds on asking it: concurrency, rate, time, retries.

Everything that asks the same model on the same event loop shares one line to it and one bound; what the model was found
to refuse is shared by all of a process.
"""

import asyncio
import weakref
from collections.abc import Iterator
from contextlib import AsyncExitStack, contextmanager
from dataclasses import dataclass, field, replace
from functools import lru_cache
from statistics import fmean
from typing import Any

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage
from langchain_core.rate_limiters import InMemoryRateLimiter
from tenacity import AsyncRetrying, RetryCallState, retry_if_exception, stop_after_attempt, wait_random_exponential

from ..state import EMBEDDED, Context
from ..state.errors import ModelError
from ..state.loops import once_per_loop
from .habits import FORMS, Habits, Refusal, habits_of, status
from .provider import assumed, in_a_line, model_name, open_model
from .reading import is_cut_off, said, thinks
from .request import Composed, Request, compose

TRANSIENT = frozenset({408, 409, 425, 429, 500, 502, 503, 504, 529})
"""HTTP statuses after which the same request may succeed."""
LONGEST_WAIT = 30.0
"""Seconds: the most that is waited before a further try, whatever the server asks for."""
ROOM = 2_048
"""Tokens that a reply may take by default, of a model that does not reason before it replies."""
EMBEDDED_ROOM = 300
"""The same of the embedded model, which does not find an end by itself."""
MORE_ROOM, ROOM_RAISES = 4, 2
"""A reply that is cut off is asked for again with so many times the room, and at most so many times."""
AT_ONCE = 1.0
"""Seconds: servers refuse a request at once. One that has been worked on for so long was taken as it is."""


class Refused(Exception):
    """A model that takes no request with tools, or none for several replies."""


@dataclass
class Bounds:
    """What all requests to one model share on one event loop."""

    slots: asyncio.Semaphore
    limiter: InMemoryRateLimiter | None


@dataclass
class Line:
    """A model with the connections of one event loop."""

    model: BaseChatModel
    habits: Habits
    trying: dict[str, asyncio.Future[None]] = field(default_factory=dict)
    """Features that nobody knows whether the model takes, and the end of the request that is finding out."""


@dataclass
class Endpoint:
    """A chat model, asked with the settings of one run."""

    name: str
    line: Line
    bounds: Bounds
    context: Context

    @property
    def habits(self) -> Habits:
        """What is known of the model."""
        return self.line.habits

    @property
    def is_embedded(self) -> bool:
        """Whether it is the model in this process."""
        return self.context.model == EMBEDDED

    async def ask(self, request: Request) -> AIMessage:
        """Send a request, again after a passing fault, and otherwise without what the model refuses of it.

        A reply that is cut off is asked for again with more room.

        Raises:
            ModelError: when the model cannot be had, or its reply does not fit into the room; the reason in one line.
            Refused: if it takes no request with tools.
        """
        room = self._room(request)
        for _ in range(ROOM_RAISES + 1):
            reply = (await self._replies(request, room))[0]
            if not is_cut_off(reply) or ((request.room or self.is_embedded) and said(reply)):
                return reply
            taken = room or _tokens(reply)
            if self.context.max_output_tokens:
                break
            # What reasons is given no limit at all before it is given a higher one.
            room = None if room and self.habits.thinks else MORE_ROOM * taken
        raise ModelError(
            f"{self.name}: the reply was cut off after {taken} tokens; raise max_output_tokens, "
            "or lower reasoning_effort if the model reasons"
        )

    async def sample(self, request: Request) -> list[AIMessage | ModelError]:
        """`request.n` independent replies: in one request where the model can, else in as many, at once.

        A reply that is cut off counts as one that failed.

        Raises:
            ModelError: if no reply could be had.
        """
        came: list[AIMessage | ModelError] = []
        if request.n > 1 and "n" not in self.habits.refused:
            try:
                came += await self._replies(request, self._room(request))
            except Refused:
                self.habits.refuse("n")
        one = replace(request, n=1)
        came += await asyncio.gather(*(self._one(one) for _ in range(request.n - len(came))))
        came = [self._whole(reply, request) for reply in came]
        if all(isinstance(reply, ModelError) for reply in came):
            raise came[0]  # type: ignore[misc]
        return came

    async def _one(self, request: Request) -> AIMessage | ModelError:
        try:
            return (await self._replies(request, self._room(request)))[0]
        except ModelError as error:
            return error

    def _whole(self, reply: AIMessage | ModelError, request: Request) -> AIMessage | ModelError:
        cut = isinstance(reply, AIMessage) and is_cut_off(reply) and not request.room and not self.is_embedded
        return ModelError(f"{self.name}: the reply was cut off; raise max_output_tokens") if cut else reply

    def _room(self, request: Request) -> int | None:
        """Tokens that a reply may take at first; None for no limit of ours."""
        if self.context.max_output_tokens:
            return self.context.max_output_tokens
        if self.habits.thinks or not isinstance(self.context.model, str):
            return None  # as the model has it
        return request.room or (EMBEDDED_ROOM if self.is_embedded else ROOM)

    async def _replies(self, request: Request, room: int | None) -> list[AIMessage]:
        """The replies to one request, less what the model refuses of it."""
        left_out: set[str] = set()  # of this request alone
        guessed: list[str] = []
        request_form = self.habits.form
        while True:
            sent = self._composed(request, room, left_out)
            unknown = sent.features - self.habits.proven
            if unknown and await self._was_found_out(unknown):
                continue
            try:
                with self._finding_out(unknown):
                    replies = await self._persist(sent)
            except Exception as error:
                refusal = Refusal(error)
                feature = refusal.of(sent.features)
                if not feature:
                    raise ModelError(f"{self.name}: {in_a_line(error, self.context.timeout)}") from error
                if refusal.is_certain and not refusal.is_about_size:
                    self.habits.refuse(feature, sent.form)
                else:
                    left_out.add(feature)
                    guessed += [] if refusal.is_about_size else [feature]
                if feature in ("tools", "n"):
                    raise Refused from error  # what is to be asked instead is another request
                continue
            for feature in guessed:
                self.habits.refuse(feature, request_form)  # the same request without it went through
            if len(replies) < request.n:
                self.habits.refuse("n")
            self.habits.proven |= sent.features
            self.habits.thinks = self.habits.thinks or any(map(thinks, replies))
            return replies

    def _composed(self, request: Request, room: int | None, left_out: set[str]) -> Composed:
        habits = replace(self.habits, refused=self.habits.refused | left_out)
        if "response_format" in left_out:
            habits.form = FORMS[habits.form]
        return compose(self.line.model, request, room, habits, self.context)

    async def _was_found_out(self, unknown: set[str]) -> bool:
        """Wait for those who are finding out about a feature; whether they came to an end."""
        others = {self.line.trying[name] for name in unknown if name in self.line.trying}
        if not others:
            return False
        _, under_way = await asyncio.wait(others, timeout=AT_ONCE)
        return not under_way

    @contextmanager
    def _finding_out(self, unknown: set[str]) -> Iterator[None]:
        """Let others wait who would ask about the same features."""
        over: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        mine = [name for name in unknown if name not in self.line.trying]
        self.line.trying |= dict.fromkeys(mine, over)
        try:
            yield
        finally:
            over.set_result(None)
            for name in mine:
                del self.line.trying[name]

    async def _persist(self, sent: Composed) -> list[AIMessage]:
        tries = AsyncRetrying(
            retry=retry_if_exception(lambda error: _is_transient(error) and not Refusal(error).of(sent.features)),
            stop=stop_after_attempt(self.context.retries + 1),
            wait=_wait,
            reraise=True,
        )
        async for attempt in tries:
            with attempt:
                async with self.bounds.slots:
                    if self.bounds.limiter:
                        await self.bounds.limiter.aacquire()
                    async with asyncio.timeout(self.context.timeout):
                        replies = await sent.send()
        return replies


async def connect(context: Context) -> Endpoint:
    """The endpoint of the Context's chat model.

    A model given as an object is used as it is, with the settings that it was made with.

    Raises:
        ConfigurationError: for an unknown model, a missing package or a missing key.
    """
    who = (_identity(context.model), context.base_url)

    async def line(stack: AsyncExitStack) -> Line:
        from openai import DefaultAsyncHttpxClient

        client = await stack.enter_async_context(DefaultAsyncHttpxClient())
        # In a thread: it imports packages and may start the embedded server, which would hold up the event loop.
        model = await asyncio.to_thread(open_model, context, client)
        return Line(model, habits_of(who, assumed(context, model)))

    async def bounds(_: AsyncExitStack) -> Bounds:
        return Bounds(asyncio.Semaphore(context.max_concurrency), _limiter(limits))

    limits = (*who, context.max_concurrency, context.requests_per_second)
    kept = ("line", *who, context.send_key)
    return Endpoint(model_name(context), await once_per_loop(kept, line), await once_per_loop(limits, bounds), context)


def mean_logprob(reply: AIMessage) -> float | None:
    """The mean log-probability of a reply's tokens, where the model tells."""
    tokens = (reply.response_metadata.get("logprobs") or {}).get("content") or []
    return fmean(token["logprob"] for token in tokens) if tokens else None


class _Object:
    """A model that was handed in as an object, for as long as it lives: another one never passes for it."""

    def __init__(self, model: Any) -> None:
        self.id = id(model)
        self.model = weakref.ref(model)

    def __hash__(self) -> int:
        return self.id

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Object) and self.id == other.id and self.model() is other.model() is not None


def _identity(model: Any) -> Any:
    return model if isinstance(model, str) else _Object(model)


def _tokens(reply: AIMessage) -> int:
    """Tokens that a reply took, of which there is at least a page."""
    return max(reply.usage_metadata["output_tokens"] if reply.usage_metadata else 0, ROOM // MORE_ROOM)


@lru_cache(maxsize=64)
def _limiter(limits: tuple[Any, ...]) -> InMemoryRateLimiter | None:
    rate = limits[-1]
    return InMemoryRateLimiter(requests_per_second=rate, check_every_n_seconds=0.02) if rate else None


def _is_transient(error: BaseException) -> bool:
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
