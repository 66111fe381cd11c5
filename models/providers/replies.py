"""The HTTP client that models are asked through: it never reads a reply that does not end, nor unpacks one."""

import inspect
import sys
from collections.abc import AsyncIterator
from functools import cache
from typing import Any

MOST_BYTES = 16 * 2**20
"""Of a reply. A hundred samples with the probabilities of their tokens are less."""
MOST_ERROR_BYTES = 64 * 2**10
"""Of an error's body, which is cut off there: what is wrong stands at its beginning."""


class UnusableReply(Exception):
    """A reply whose body is not read."""


def client(known_as: tuple[str, str] | None = None) -> Any:
    """A client for OpenAI-compatible servers, on whichever HTTP library the package `openai` uses.

    Args:
        known_as: User and password, for a server that asks for them.
    """
    from openai import DefaultAsyncHttpxClient

    # A server may not send a request, and what it says, on to another address.
    return _bounded(DefaultAsyncHttpxClient(follow_redirects=False, auth=known_as))


def bound_model(model: Any) -> None:
    """Bound the replies of a model with a client of its own, if that is httpx's, as those of most providers are."""
    inside = [model]
    for _ in range(_DEEP):
        inside = [part for each in inside for name in _HELD_AS if (part := getattr(each, name, None)) is not None]
        for each in inside:
            if isinstance(getattr(each, "event_hooks", None), dict) and inspect.iscoroutinefunction(each.send):
                _bounded(each)


_DEEP = 3
_HELD_AS = ("async_client", "_async_client", "client", "_client", "_api_client", "_async_httpx_client")
"""How integrations call the client that they hold, and that the one within."""


def _bounded(http: Any) -> Any:
    """The client, which reads no packed reply, and of none more than the bound."""
    http.headers["Accept-Encoding"] = "identity"
    hooks = http.event_hooks
    if _bound not in hooks["response"]:  # integrations share clients
        http.event_hooks = {**hooks, "response": [*hooks["response"], _bound]}
    return http


async def _bound(response: Any) -> None:
    packing = response.headers.get("content-encoding", "identity")
    if packing != "identity":  # a small body could unpack to any size
        raise UnusableReply(f"the reply is packed ({packing:.20}), although a plain one was asked for")
    library = sys.modules[type(response).__module__.partition(".")[0]]
    response.stream = _stream_of(library)(response)


@cache
def _stream_of(library: Any) -> Any:
    class Bounded(library.AsyncByteStream):  # type: ignore[misc]
        def __init__(self, response: Any) -> None:
            self.stream = response.stream
            self.is_error = response.status_code >= 400

        async def __aiter__(self) -> AsyncIterator[bytes]:
            left = MOST_ERROR_BYTES if self.is_error else MOST_BYTES
            async for chunk in self.stream:
                if len(chunk) > left and not self.is_error:
                    raise UnusableReply(f"the reply is larger than {MOST_BYTES // 2**20} MB")
                yield chunk[:left]
                left -= len(chunk)
                if left <= 0 and self.is_error:
                    return

        async def aclose(self) -> None:
            await self.stream.aclose()

    return Bounded


def unusable(error: BaseException) -> UnusableReply | None:
    """The reply behind an error of a client that was not read, if there is one."""
    behind: BaseException | None = error
    while behind is not None:
        if isinstance(behind, UnusableReply):
            return behind
        behind = behind.__cause__ or behind.__context__
    return None
