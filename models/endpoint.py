"""A chat model that is reachable, and the bounds on asking it: concurrency, rate, time, retries.

Everything that asks the same model on the same event loop shares one endpoint per sampling temperature, and all of
them share one bound.
"""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from contextlib import AsyncExitStack
from dataclasses import dataclass
from functools import lru_cache
from statistics import fmean
from typing import Any, TypeVar

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.rate_limiters import InMemoryRateLimiter
from langchain_core.runnables import Runnable
from tenacity import AsyncRetrying, RetryCallState, retry_if_exception, stop_after_attempt, wait_random_exponential

from ..state import EMBEDDED, Context
from ..state.errors import ModelError
from ..state.loops import once_per_loop
from .provider import calling, calls_tools, in_a_line, is_compatible, model_name, open_model, structured

T = TypeVar("T")

TRANSIENT = frozenset({408, 409, 425, 429, 500, 502, 503, 504, 529})
"""HTTP statuses after which the same request may succeed."""
UNSTRUCTURED = frozenset({400, 404, 422})
"""Statuses with which servers refuse a response schema, or something else, that they do not know."""
SAMPLING = ((True, True), (False, True), (True, False), (False, False))
"""Ways to ask for several replies, best first: all in one request? with log-probabilities?"""
LONGEST_WAIT = 30.0
"""Seconds: the most that is waited before a further try, whatever the server asks for."""


class NoTools(Exception):
    """A model that refuses a request with tools."""


@dataclass
class Bounds:
    """What all requests to one model share on one event loop."""

    slots: asyncio.Semaphore
    limiter: InMemoryRateLimiter | None


@dataclass
class Endpoint:
    """A chat model with its bounds."""

    name: str
    model: BaseChatModel
    bounds: Bounds
    timeout: float
    retries: int
    calls_tools: bool
    """Whether it calls tools: what is known of the model, until asking it shows otherwise."""
    structured: bool = True
    """Whether it takes a response schema. Found out by asking."""
    sampling: int = 0
    """How it gives several replies, a place in SAMPLING. Found out by asking."""

    async def ask(self, messages: list[BaseMessage], schema: dict[str, Any] | None = None) -> AIMessage:
        """Send one request, and send it again after a passing fault.

        schema
            JSON schema of the reply; None for free text.

        Raises ModelError, with the reason in one line, when the model cannot be had.
        """
        try:
            if schema is None or not self.structured:
                return await self._reply(self.model, messages)
            try:
                return await self._reply(structured(self.model, schema), messages)
            except Exception as error:
                if not _refuses(error):
                    raise
            reply = await self._reply(self.model, messages)
            self.structured = False  # the same request without a schema went through
            return reply
        except Exception as error:
            raise ModelError(f"{self.name}: {in_a_line(error, self.timeout)}") from error

    async def call(self, messages: list[BaseMessage], tools: list[dict[str, Any]]) -> AIMessage:
        """Send one request that is to be answered with a call of one of the tools.

        tools
            in OpenAI's form

        Raises NoTools if the model refuses it as one that calls none would, ModelError as `ask` does.
        """
        try:
            return await self._reply(calling(self.model, tools), messages)
        except Exception as error:
            if not _refuses(error):
                raise ModelError(f"{self.name}: {in_a_line(error, self.timeout)}") from error
        raise NoTools

    async def sample(self, messages: list[BaseMessage], n: int) -> list[tuple[AIMessage, float | None]]:
        """`n` independent replies, each with the mean log-probability of its tokens where the model tells.

        In one request where the model can, else in as many, at once. Raises ModelError as `ask` does; some of several
        requests may fail as long as one does not.
        """
        while True:
            way = self.sampling
            several, logprobs = SAMPLING[way]
            wanted = {"logprobs": True} if logprobs else {}
            try:
                replies = await self._generate(messages, n=n, **wanted) if several else []
                more = [self._generate(messages, **wanted) for _ in range(n - len(replies))]
                replies = await _those_that_came(replies, more)
                return [(reply, _mean_logprob(reply)) for reply in replies]
            except Exception as error:
                if not _refuses(error) or way + 1 == len(SAMPLING):
                    raise ModelError(f"{self.name}: {in_a_line(error, self.timeout)}") from error
            self.sampling = max(self.sampling, way + 1)  # others may have found out the same meanwhile

    async def _reply(self, model: Runnable[Any, Any], messages: list[BaseMessage]) -> AIMessage:
        async def send() -> AIMessage:
            reply: AIMessage = await model.ainvoke(messages)
            return reply

        return await self._persist(send)

    async def _generate(self, messages: list[BaseMessage], **wanted: Any) -> list[AIMessage]:
        """All replies to one request."""

        async def send() -> list[AIMessage]:
            result = await self.model.agenerate([messages], **wanted)
            return [generation.message for generation in result.generations[0]]  # type: ignore[union-attr, misc]

        return await self._persist(send)

    async def _persist(self, send: Callable[[], Awaitable[T]]) -> T:
        tries = AsyncRetrying(
            retry=retry_if_exception(_is_transient),
            stop=stop_after_attempt(self.retries + 1),
            wait=_wait,
            reraise=True,
        )
        async for attempt in tries:
            with attempt:
                async with self.bounds.slots:
                    if self.bounds.limiter:
                        await self.bounds.limiter.aacquire()
                    async with asyncio.timeout(self.timeout):
                        reply = await send()
        return reply


async def connect(context: Context, *, temperature: float, max_tokens: int) -> Endpoint:
    """The endpoint of the Context's chat model.

    A model given as an object is used as it is, with the temperature it was made with.

    Raises ConfigurationError for an unknown model, a missing package or a missing key.
    """
    identity = context.model if isinstance(context.model, str) else id(context.model)
    limits = (identity, context.base_url, context.max_concurrency, context.requests_per_second)
    settings = (temperature, max_tokens, context.timeout, context.retries)

    async def bounds(_: AsyncExitStack) -> Bounds:
        return Bounds(asyncio.Semaphore(context.max_concurrency), _limiter(limits))

    async def endpoint(stack: AsyncExitStack) -> Endpoint:
        from openai import DefaultAsyncHttpxClient

        client = await stack.enter_async_context(DefaultAsyncHttpxClient())
        # In a thread: it imports packages and may start the embedded server, which would hold up the event loop.
        model = await asyncio.to_thread(open_model, context, temperature, max_tokens, client)
        shared = await once_per_loop(limits, bounds)
        name, tools = model_name(context), context.model != EMBEDDED and calls_tools(model)
        sampling = 0 if is_compatible(model) else len(SAMPLING) - 1
        return Endpoint(name, model, shared, context.timeout, context.retries, tools, sampling=sampling)

    return await once_per_loop((limits, settings), endpoint)


def _refuses(error: BaseException) -> bool:
    """Whether a model does not know what was asked for: a response schema, tools, several replies."""
    return isinstance(error, NotImplementedError) or _status(error) in UNSTRUCTURED


async def _those_that_came(
    replies: list[AIMessage], requests: list[Coroutine[Any, Any, list[AIMessage]]]
) -> list[AIMessage]:
    """The replies at hand and those to further requests; the first failure, if there are none."""
    came = await asyncio.gather(*requests, return_exceptions=True)
    replies = [*replies, *(reply for found in came if isinstance(found, list) for reply in found)]
    failed = [found for found in came if isinstance(found, BaseException)]
    if failed and not replies:
        raise failed[0]
    return replies


def _mean_logprob(reply: AIMessage) -> float | None:
    tokens = (reply.response_metadata.get("logprobs") or {}).get("content") or []
    return fmean(token["logprob"] for token in tokens) if tokens else None


@lru_cache(maxsize=64)
def _limiter(limits: tuple[Any, ...]) -> InMemoryRateLimiter | None:
    rate = limits[-1]
    return InMemoryRateLimiter(requests_per_second=rate, check_every_n_seconds=0.02) if rate else None


def _status(error: BaseException) -> int | None:
    response = getattr(error, "response", None)
    return getattr(error, "status_code", None) or getattr(response, "status_code", None)


def _is_transient(error: BaseException) -> bool:
    """A passing fault: a status that says so, or a connection that broke. A timeout is not: it was waited for."""
    if (status := _status(error)) is not None:
        return status in TRANSIENT
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
