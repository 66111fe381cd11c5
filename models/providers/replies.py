"""The HTTP client for models: it never reads a reply that does not end, nor decompresses one."""

import inspect
import sys
from collections.abc import AsyncIterator
from functools import cache
from typing import Any

from ...state.runs.connections import connections

MOST_BYTES = 16 * 2**20
"""The most bytes of a reply. A hundred samples with the probabilities of their tokens are less."""
MOST_ERROR_BYTES = 64 * 2**10
"""The most bytes of an error's body, which is cut off there: what is wrong is at its beginning."""


class UnusableReply(Exception):
    """A reply whose body is not read."""


def client(known_as: tuple[str, str] | None = None) -> Any:
    """A client for OpenAI-compatible servers, on whichever HTTP library the package `openai` uses.

    Args:
        known_as: The user and password, for a server that requires them.
    """
    from openai import DefaultAsyncHttpxClient

    # A server must not send a request, and its content, on to another address.
    settings: dict[str, Any] = {"follow_redirects": False, "auth": known_as}
    return _bounded(DefaultAsyncHttpxClient(transport=connections(http_library()), **settings))


def http_library() -> Any:
    """The HTTP library that the package `openai` uses: httpx, or its successor."""
    from openai import DefaultAsyncHttpxClient

    return sys.modules[DefaultAsyncHttpxClient.__mro__[1].__module__.partition(".")[0]]


def bound_model(model: Any) -> None:
    """Limit the replies of a model with its own client, if that is httpx's, as it is for most providers."""
    inside = [model]
    for _ in range(_DEEP):
        inside = [part for each in inside for name in _HELD_AS if (part := getattr(each, name, None)) is not None]
        for each in inside:
            if isinstance(getattr(each, "event_hooks", None), dict) and inspect.iscoroutinefunction(each.send):
                _bounded(each)


_DEEP = 3
_HELD_AS = ("async_client", "_async_client", "client", "_client", "_api_client", "_async_httpx_client")
"""What integrations call the client that they hold, and the one within."""


def _bounded(http: Any) -> Any:
    """The client, which reads no compressed reply, and none beyond the limit."""
    http.headers["Accept-Encoding"] = "identity"
    hooks = http.event_hooks
    if _bound not in hooks["response"]:  # integrations share clients
        http.event_hooks = {**hooks, "response": [*hooks["response"], _bound]}
    return http


async def _bound(response: Any) -> None:
    packing = response.headers.get("content-encoding", "identity")
    if packing != "identity":  # a small body could expand to any size
        raise UnusableReply(f"the reply is compressed ({packing:.20}), although a plain one was requested")
    library = sys.modules[type(response).__module__.partition(".")[0]]
    response.stream = _stream_of(library)(response)


@cache
def _stream_of(library: Any) -> Any:
    class Bounded(library.AsyncByteStream):  # type: ignore[misc]
        def __init__(self, response: Any) -> None:
            self.stream = response.stream
            self.is_error = response.status_code >= 400

        async def __aiter__(self) -> AsyncIterator[bytes]:
            allowed = MOST_ERROR_BYTES if self.is_error else MOST_BYTES
            async for chunk in self.stream:
                if len(chunk) > allowed and not self.is_error:
                    raise UnusableReply(f"the reply is larger than {MOST_BYTES // 2**20} MB")
                yield chunk[:allowed]
                allowed -= len(chunk)
                if allowed <= 0 and self.is_error:
                    return

        async def aclose(self) -> None:
            await self.stream.aclose()

    return Bounded


def unusable(error: BaseException) -> UnusableReply | None:
    """The unread reply behind a client's error, if there is one."""
    behind: BaseException | None = error
    while behind is not None:
        if isinstance(behind, UnusableReply):
            return behind
        behind = behind.__cause__ or behind.__context__
    return None
