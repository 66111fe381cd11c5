"""What an agent has seen: the results of its tools, as texts to compare its answer with."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from langchain_core.messages import AIMessage, AnyMessage, ToolMessage

from ...state.methods.refcheck import Reference
from ...tools.searches.adapters import read_message

FEWEST_WORDS = 3
"""The number of words from which on a tool's argument is a statement and not a name to look up."""


def seen(messages: Sequence[AnyMessage], tools: Collection[str] | None = None) -> list[Reference]:
    """The texts that tools returned to an agent: the documents in their artifacts, or otherwise their text.

    Text that a tool only repeats from its call is the agent's own, and not evidence.

    Args:
        messages: The conversation.
        tools: The names of the tools that count; None for all.
    """
    calls = {call["id"]: call["args"] for each in messages if isinstance(each, AIMessage) for call in each.tool_calls}
    return [
        reference
        for message in messages
        if isinstance(message, ToolMessage) and (tools is None or message.name in tools)
        for reference in _references(message, [*_statements(calls.get(message.tool_call_id))])
    ]


def _references(message: ToolMessage, own_words: Sequence[str]) -> Iterator[Reference]:
    for part in read_message(message):
        text = part["text"]
        for words in own_words:
            text = text.replace(words, " ")
        if text.strip():
            yield {"text": text, "title": part["title"], "source": part["source"] or f"tool {message.name}"}


def _statements(arguments: Any) -> Iterator[str]:
    """The strings among a tool's arguments that make a statement."""
    if isinstance(arguments, str) and len(arguments.split()) >= FEWEST_WORDS:
        yield arguments
    elif isinstance(arguments, Mapping):
        for value in arguments.values():
            yield from _statements(value)
    elif isinstance(arguments, list):
        for value in arguments:
            yield from _statements(value)
