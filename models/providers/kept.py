"""Replies that are stored on disk, so that a continued run pays for nothing twice.

A reply is found by model, address and the whole request. At a temperature above 0 it also belongs to one run, and equal
requests in one run each have their own, so samples stay independent. Only a hash of a request is stored.
"""

import hashlib
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from contextvars import ContextVar
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage
from pydantic import TypeAdapter, ValidationError

from ...state import Context, embedded_name
from ...state.errors import ModelError
from ...state.runs.cache import Shelf, cache_folder
from ...state.runs.meter import spend
from ...state.runs.spending import current
from . import embedded
from .request import Request

_REPLIES = TypeAdapter(list[AIMessage])
_used: ContextVar[list[tuple[Shelf, str]] | None] = ContextVar("errata_replies", default=None)


async def kept_or_asked(
    context: Context,
    model: BaseChatModel,
    request: Request,
    attempt: int,
    ask: Callable[[], Awaitable[list[AIMessage]]],
) -> list[AIMessage]:
    """The replies to a request: stored ones, or otherwise the model's, which are then stored.

    Args:
        context: The settings of the run.
        model: As it was opened.
        request: What is asked.
        attempt: How often it was asked with less room.
        ask: Asks the model. What it raises is raised, and nothing is kept.
    """
    place = _place(context, model, request, attempt)
    if place is None:
        return await ask()
    shelf, key = place
    if (used := _used.get()) is not None:
        used.append(place)
    with suppress(ValidationError):
        if stored := await shelf.get(key):
            replies = _REPLIES.validate_python(stored)
            spend(cached=1)
            return replies
    replies = await ask()
    await shelf.put(key, _REPLIES.dump_python(replies, mode="json"))
    return replies


@asynccontextmanager
async def forgotten_if_unusable() -> AsyncIterator[Callable[[], Awaitable[None]]]:
    """Store no reply to requests in the block if it ends in a ModelError: the next time is another try.

    Yields:
        What forgets the replies to what was asked so far.
    """
    used: list[tuple[Shelf, str]] = []

    async def forget() -> None:
        for shelf, key in used:
            await shelf.drop(key)

    token = _used.set(used)
    try:
        yield forget
    except ModelError:
        await forget()
        raise
    finally:
        _used.reset(token)


def _place(context: Context, model: BaseChatModel, request: Request, attempt: int) -> tuple[Shelf, str] | None:
    """Where the replies to a request are stored; None if they are not."""
    if context.keep_replies is False or not isinstance(context.model, str):
        return None  # an object may be any model, and another one the next time
    spending = current()
    shelf = spending.replies if spending else None
    if shelf is None and context.keep_replies:
        shelf = Shelf(cache_folder() / "replies")
    if shelf is None:
        return None
    temperature = request.temperature if context.temperature is None else context.temperature
    key_parts: dict[str, Any] = {
        "model": context.model,
        "address": _address(context, model),
        "messages": [_words(message) for message in request.messages],
        "temperature": temperature,
        "reasoning": context.reasoning_effort,
        "room": [request.room, context.max_output_tokens, attempt],
        "schema": request.schema,
        "tools": list(request.tools),
        "stop": list(request.stop),
        "n": request.n,
        "logprobs": request.logprobs,
    }
    if temperature != 0:
        if spending is None:
            return None  # a repeated sample must be another sample
        key_parts["run"] = spending.run
    key = _hash(key_parts)
    if spending:
        spending.times[key] += 1
        key = _hash([key, spending.times[key]])
    return shelf, key


def _hash(value: Any) -> str:
    return hashlib.sha256(json.dumps(value, sort_keys=True, default=str).encode()).hexdigest()


def _words(message: BaseMessage) -> list[Any]:
    """What a model reads of a message. Ids are made up anew in every run."""
    calls = [(call["name"], call["args"]) for call in getattr(message, "tool_calls", ())]
    return [message.type, message.name, message.content, calls]


def _address(context: Context, model: BaseChatModel) -> str:
    """Where a model is, without the name and password of whoever asks it."""
    if (name := embedded_name(context.model)) is not None:
        weights: Path = embedded.weights(name)
        return f"{weights.name} {weights.stat().st_size}"  # its port is another one in every process
    address = urlsplit(str(context.base_url or getattr(model, "openai_api_base", None) or ""))
    return address._replace(netloc=address.netloc.rpartition("@")[2], query="").geturl()
