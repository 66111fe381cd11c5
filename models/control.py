"""Control tokens: a text that contains those of a chat template must not end or begin a turn for a model.

A server joins a conversation into one text, and would read `<|im_end|>` in a page like the one that it writes itself.
So the first character of each such token is replaced by a similar one in the model's input and restored in its output:
what a model repeats of a text is still found in it.
"""

import re
from collections.abc import Callable, Collection, Iterator
from functools import lru_cache
from typing import Any, TypeVar

from langchain_core.messages import AIMessage, BaseMessage
from pydantic import BaseModel

T = TypeVar("T")

_TOKENS = r"""
  <[|｜][^<>|｜\s]{1,48}[|｜]>  # ChatML, Llama 3, Phi, Zephyr, Command, Harmony, DeepSeek
| \[\|[^\[\]|\s]{1,48}\|\]  # Exaone
| </?s>|<(?:pad|unk|bos|eos|mask|cls|sep|sop|eop|eoh|eoa)>|<<\s?/?SYS>>|<</SYS>>  # Llama 2, T5
| <(?:start|end)_of_\w{1,16}>|<(?:bos|eos)_token>|<\w{3,8}_(?:of_turn|token)>  # Gemma
| <(?:extra_id_|unused_?|reserved_)\d{1,4}>|<0x[0-9a-f]{2}>
| </?(?:think|thinking|tool_calls?|tool_response|tools)>  # Qwen
| \[/?(?:INST|SYSTEM_PROMPT|AVAILABLE_TOOLS|TOOL_CALLS|TOOL_RESULTS|TOOL_CONTENT|ARGS|THINK|IMG)\]  # Mistral
| \[(?:CLS|SEP|MASK|PAD|UNK|gMASK|BOS|EOS)\]  # BERT, ChatGLM
"""
LONGEST = 80
"""In characters: no token has more."""
_MARKS = {"<": "‹＜﹤⟨", "[": "［〔⁅"}
"""By the first character of a token, its possible replacements."""


def defused(task_input: T, blocks: Collection[str] = ()) -> tuple[T, Callable[[Any], Any]]:
    """A model's input without control tokens, and a function that restores them in its output.

    Args:
        task_input: A task's input, or any part of it.
        blocks: The names of the tags that delimit values in a prompt: no text can end or begin such a block either.
    """
    texts = list(_strings(task_input))
    pattern = _pattern(frozenset(blocks))
    tokens = {match.group() for text in texts for match in pattern.finditer(text)}
    if not tokens:
        return task_input, lambda output: output
    marks = {first: _mark(first, texts, pattern) for first in {token[0] for token in tokens}}

    def disguise(text: str) -> str:
        return pattern.sub(lambda match: marks[match.group()[0]] + match.group()[1:], text)

    def restore(text: str) -> str:
        for first, mark in marks.items():
            places = {place for place, token in _disguised(text, first, mark, pattern) if token in tokens}
            text = "".join(first if place in places else char for place, char in enumerate(text)) if places else text
        return text

    return _mapped(task_input, disguise), lambda output: _mapped(output, restore)


@lru_cache(maxsize=64)
def _pattern(blocks: frozenset[str]) -> re.Pattern[str]:
    tags = "|".join(map(re.escape, sorted(blocks)))
    tag = rf"| <\s{{0,8}}/?\s{{0,8}}(?:{tags})\b" if blocks else ""
    return re.compile(_TOKENS + tag, re.VERBOSE | re.IGNORECASE)


def _mark(first: str, texts: list[str], pattern: re.Pattern[str]) -> str:
    """A first character for tokens with which no text has one already."""
    free = (mark for mark in _MARKS[first] if not any(any(_disguised(text, first, mark, pattern)) for text in texts))
    return next(free, _MARKS[first][-1])


def _disguised(text: str, first: str, mark: str, pattern: re.Pattern[str]) -> Iterator[tuple[int, str]]:
    """Where a text has tokens that begin with a mark, and what they are without it."""
    for place in (match.start() for match in re.finditer(re.escape(mark), text)):
        if match := pattern.match(first + text[place + 1 : place + LONGEST]):
            yield place, match.group()


def _strings(value: Any) -> Iterator[str]:
    """All text in a value."""
    texts: list[str] = []

    def keep(text: str) -> str:
        texts.append(text)
        return text

    _mapped(value, keep)
    return iter(texts)


def _mapped(value: Any, change: Callable[[str], str]) -> Any:
    """The same value with its texts changed."""
    if isinstance(value, str):
        return change(value)
    if isinstance(value, dict):
        return {name: _mapped(item, change) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [_mapped(item, change) for item in value]
    names: tuple[str, ...]
    if isinstance(value, BaseMessage):
        names = ("content", "tool_calls") if isinstance(value, AIMessage) else ("content",)
    elif isinstance(value, BaseModel):
        names = tuple(type(value).model_fields)
    else:
        return value
    return value.model_copy(update={name: _mapped(getattr(value, name), change) for name in names})
