"""Model calls are charged to the account that they are paid from, if there is one: before they are made, and after."""

from collections.abc import Awaitable, Callable
from typing import Any

from langchain_core.messages import AIMessage

from ...state.runs.spending import current
from .refusals import status

CHARS_A_TOKEN = 4
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
    return status(error) is not None or type(error.__cause__).__name__ in UNSENT


def _usage(replies: list[AIMessage]) -> dict[str, float]:
    usage: dict[str, Any] = dict(replies[0].usage_metadata or {}) if replies else {}
    reasoned = (usage.get("output_token_details") or {}).get("reasoning", 0)
    counted = {name: usage.get(name, 0) for name in ("input_tokens", "output_tokens")}
    return {"llm_calls": 1, **counted, "reasoning_tokens": reasoned}
