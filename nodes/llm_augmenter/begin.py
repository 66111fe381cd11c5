"""The start of a response to a message."""

from collections.abc import Mapping
from typing import Any

from ...state import Context
from ...state.errors import ConfigurationError
from ...state.methods.augmenter import AugmenterState, Message
from ...tools import evidence
from ..begin import begun


async def begin(state: AugmenterState, context: Context) -> dict[str, Any]:
    """Start responding to a message.

    Raises:
        ConfigurationError: If there is no message, if `history` is malformed, or for `review`.
    """
    if context.review:
        raise ConfigurationError(
            "`review` is for methods that propose edits; this one rewrites responses, so leave it off"
        )
    new = begun(state, context)
    if not new["question"]:
        raise ConfigurationError("there is no message to respond to: give a question")
    knowledge = [text for text in state.get("knowledge") or [] if text.strip()]
    pieces = [
        evidence(query=new["question"], text=text, source=f"knowledge:{number}")
        for number, text in enumerate(knowledge, start=1)
    ]
    return {
        **new,
        "history": [_message(message) for message in state.get("history") or []],
        "knowledge": knowledge,
        "evidence": pieces,
        "links": [],
        "chains": [[piece["id"]] for piece in pieces],
        "candidates": [],
        "scores": [],
        "judgement": "",
        "critique": "",
        "feedback": [],
        "tried": [],
        "open": [],
        "decisions": [],
        "chosen": None,
    }


def _message(message: Any) -> Message:
    """A turn of the dialogue, which in Python may be given as anything."""
    if isinstance(message, Mapping) and message.get("role") in ("user", "assistant"):
        content = message.get("content")
        if isinstance(content, str):
            return {"role": message["role"], "content": content}
    raise ConfigurationError('`history` is a list of {"role": "user" or "assistant", "content": text}')
