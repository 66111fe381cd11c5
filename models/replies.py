"""The HTTP client that models are asked through: it never reads a reply that does not end, nor unpacks one."""

import sys
from collections.abc import AsyncIterator
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

    http: Any = sys.modules[DefaultAsyncHttpxClient.__mro__[1].__module__]

    class Bounded(http.AsyncByteStream):  # type: ignore[misc]
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

    async def bound(response: Any) -> None:
        packing = response.headers.get("content-encoding", "identity")
        if packing != "identity":  # a small body could unpack to any size
            raise UnusableReply(f"the reply is packed ({packing:.20}), although a plain one was asked for")
        response.stream = Bounded(response)

    return DefaultAsyncHttpxClient(
        # A server may not send a request, and what it says, on to another address.
        follow_redirects=False,
        auth=known_as,
        headers={"Accept-Encoding": "identity"},
        event_hooks={"response": [bound]},
    )


def unusable(error: BaseException) -> UnusableReply | None:
    """The reply behind an error of a client that was not read, if there is one."""
    return next((each for each in (error, error.__cause__) if isinstance(each, UnusableReply)), None)
