"""A chat model that is reachable, and the bounds on asking it: concurrency, rate, time, retries.

Everything that asks the same model on the same event loop shares one endpoint per sampling temperature, and all of
them share one bound.
"""

import asyncio
import os
from contextlib import AsyncExitStack
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.rate_limiters import InMemoryRateLimiter
from langchain_core.runnables import Runnable
from pydantic import SecretStr
from tenacity import AsyncRetrying, RetryCallState, retry_if_exception, stop_after_attempt, wait_random_exponential

from ..state import EMBEDDED, Context
from ..state.errors import ConfigurationError, ModelError
from ..state.loops import once_per_loop
from . import embedded

TRANSIENT = frozenset({408, 409, 425, 429, 500, 502, 503, 504, 529})
"""HTTP statuses after which the same request may succeed."""
UNSTRUCTURED = frozenset({400, 404, 422})
"""Statuses with which servers refuse a response schema that they do not know."""
LONGEST_WAIT = 30.0
"""Seconds: the most that is waited before a further try, whatever the server asks for."""


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
    structured: bool = True
    """Whether it takes a response schema. Found out by asking."""

    async def ask(self, messages: list[BaseMessage], schema: dict[str, Any] | None = None) -> AIMessage:
        """Send one request, and send it again after a passing fault.

        schema
            JSON schema of the reply; None for free text.

        Raises ModelError, with the reason in one line, when the model cannot be had.
        """
        try:
            if schema is None or not self.structured:
                return await self._persist(self.model, messages)
            try:
                return await self._persist(_structured(self.model, schema), messages)
            except Exception as error:
                if not (isinstance(error, NotImplementedError) or _status(error) in UNSTRUCTURED):
                    raise
            reply = await self._persist(self.model, messages)
            self.structured = False  # the same request without a schema went through
            return reply
        except Exception as error:
            raise ModelError(f"{self.name}: {_in_a_line(error, self.timeout)}") from error

    async def _persist(self, model: Runnable[Any, Any], messages: list[BaseMessage]) -> AIMessage:
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
                        reply: AIMessage = await model.ainvoke(messages)
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
        model = await asyncio.to_thread(_open, context, temperature, max_tokens, client)
        shared = await once_per_loop(limits, bounds)
        return Endpoint(model_name(context), model, shared, context.timeout, context.retries)

    return await once_per_loop((limits, settings), endpoint)


def _structured(model: BaseChatModel, schema: dict[str, Any]) -> Runnable[Any, Any]:
    """The model, asked for JSON of a schema.

    OpenAI-compatible ones get the schema in the body of the request: the client's own way to ask for it takes as long
    again as the rest of the call, and raises where a reply is cut off, which we would rather read and have repaired.
    """
    if hasattr(model, "extra_body"):
        wanted = {"type": "json_schema", "json_schema": {"name": schema["title"], "schema": schema}}
        bound: Runnable[Any, Any] = model.bind(extra_body={**(model.extra_body or {}), "response_format": wanted})
        return bound
    structured: Runnable[Any, Any] = model.with_structured_output(schema, include_raw=True)
    return structured | (lambda reply: reply["raw"])


def model_name(context: Context) -> str:
    """Name of the Context's chat model for messages and reports."""
    if isinstance(context.model, str):
        return embedded.NAME if context.model == EMBEDDED else context.model
    return str(getattr(context.model, "model_name", None) or type(context.model).__name__)


def check_model(context: Context) -> None:
    """Raise ConfigurationError if the Context's chat model cannot be made; ask it nothing."""
    if context.model == EMBEDDED and not context.base_url:
        embedded.weights()
    else:
        _open(context, 0.0, 1)


@lru_cache(maxsize=64)
def _limiter(limits: tuple[Any, ...]) -> InMemoryRateLimiter | None:
    rate = limits[-1]
    return InMemoryRateLimiter(requests_per_second=rate, check_every_n_seconds=0.02) if rate else None


def _open(context: Context, temperature: float, max_tokens: int, client: Any = None) -> BaseChatModel:
    """Make the Context's chat model. OpenAI-compatible ones talk through the HTTP client, if one is given."""
    if not isinstance(context.model, str):
        if not isinstance(context.model, BaseChatModel):
            raise ConfigurationError(f"model is a {type(context.model).__name__}: give a name or a BaseChatModel")
        return context.model
    # Retrying is ours to do, so that there is one count of tries, whoever makes the client.
    settings: dict[str, Any] = {"temperature": temperature, "max_tokens": max_tokens, "max_retries": 0}
    if context.base_url and not context.model.startswith("openai:"):
        raise ConfigurationError(
            "base_url goes with an `openai:` model: pass --model openai:NAME, as the server calls it"
        )
    if context.model == EMBEDDED:
        # Left alone, a model of this size repeats itself until its tokens run out.
        settings["extra_body"] = {"repeat_penalty": 1.15}
        return _compatible(embedded.NAME, embedded.base_url(), embedded.KEY, settings, client)
    provider, _, name = context.model.partition(":")
    if not name:
        raise ConfigurationError(
            f"`{context.model}` is no model: use `embedded`, or provider:model as in openai:gpt-5-mini"
        )
    if provider == "openai" and context.base_url:
        return _compatible(name, context.base_url, os.environ.get("OPENAI_API_KEY", "none"), settings, client)
    if provider == "openai" and not os.environ.get("OPENAI_API_KEY"):
        raise ConfigurationError(
            f"{context.model} needs a key: set OPENAI_API_KEY (platform.openai.com), "
            "give base_url for a server of your own, or use the model `embedded`"
        )
    if provider == "openai":
        return _compatible(name, None, os.environ["OPENAI_API_KEY"], settings, client)
    return _initialise(context.model, settings)


def _compatible(name: str, base_url: str | None, key: str, settings: dict[str, Any], client: Any) -> BaseChatModel:
    """A model behind an OpenAI-compatible interface, with an HTTP client of its own.

    The client that langchain-openai shares between models outlives the event loop that opened its connections.
    """
    from langchain_openai import ChatOpenAI

    return ChatOpenAI(model=name, base_url=base_url, api_key=SecretStr(key), http_async_client=client, **settings)


def _initialise(name: str, settings: dict[str, Any]) -> BaseChatModel:
    from langchain.chat_models import init_chat_model

    try:
        model: BaseChatModel = init_chat_model(name, **settings)
    except ImportError as error:
        raise ConfigurationError(f"{name} needs a package that is not installed: {error}") from error
    except Exception as error:
        why = _in_a_line(error, 0).partition(". ")[0]
        raise ConfigurationError(f"{name} cannot be used: {why}; see init_chat_model for what can") from error
    return model


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


def _in_a_line(error: BaseException, timeout: float) -> str:
    if isinstance(error, TimeoutError):
        return f"no answer within {timeout:g} seconds"
    words = " ".join(str(error).split()) or type(error).__name__
    for name, value in os.environ.items():
        if name.endswith("_API_KEY") and value:
            words = words.replace(value, f"${name}")  # servers like to repeat a key that they refuse
    return words if len(words) <= 300 else words[:299] + "…"
