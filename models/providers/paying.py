"""Model calls are charged to the account that they are paid from, if there is one: before they are made, and after."""

from collections.abc import Awaitable, Callable

from langchain_core.messages import AIMessage

from ...state.runs.meter import tokens_of
from ...state.runs.spending import current
from .refusals import status

CHARS_A_TOKEN = 4
REFUSED = frozenset({400, 401, 403, 404, 405, 413, 415, 422, 429})
"""Statuses of requests that a server did no work for. After any other, it may have, and bills it."""
UNSENT = ("ConnectError", "ConnectTimeout", "PoolTimeout")
"""What HTTP clients raise if they had no connection."""


async def paid(send: Callable[[], Awaitable[list[AIMessage]]], chars: int) -> list[AIMessage]:
    """Send a request of so many characters, once.

    Raises:
        ErrataError: If the account has no room for it; then nothing is sent.
        Exception: What sending it raises.
    """
    spending = current()
    account = spending.account if spending else None
    if account is None:
        return await send()
    call = await account.reserve(chars // CHARS_A_TOKEN)
    try:
        replies = await send()
    except BaseException as error:
        await account.settle(call, {} if _is_free(error) else None)
        raise
    await account.settle(call, _usage(replies))
    return replies


def _is_free(error: BaseException) -> bool:
    """Whether a server refused a request, or never received it. An abandoned reply may well be billed."""
    return status(error) in REFUSED or type(error.__cause__).__name__ in UNSENT


def _usage(replies: list[AIMessage]) -> dict[str, float] | None:
    """What a server reports for a request; None if it does not say how many tokens that took."""
    used = tokens_of(replies[0]) if replies else {"input_tokens": 0, "output_tokens": 0}
    return {"llm_calls": 1, **used} if {"input_tokens", "output_tokens"} <= used.keys() else None
