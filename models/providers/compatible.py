"""The client of servers with OpenAI's API. A model's thoughts are kept out of the text that it streams."""

import re
from collections.abc import AsyncIterator
from typing import Any

from langchain_core.outputs import ChatGenerationChunk
from langchain_openai import ChatOpenAI

from ..reading import THOUGHT_CLOSES, THOUGHT_OPENS

_LONGEST_TAG = 12
_MAY_OPEN = re.compile(rf"\s*(?:[<\[][a-z]{{0,{_LONGEST_TAG}}})?", re.IGNORECASE)
"""The beginning of a text that may still turn out to open a thought."""


class CompatibleChatModel(ChatOpenAI):
    """ChatOpenAI whose streams begin after the thoughts of a model that writes them into its text.

    A thought without an opening tag cannot be recognised before it is closed; the reader of the whole reply removes it.
    """

    async def _astream(self, *args: Any, **kwargs: Any) -> AsyncIterator[ChatGenerationChunk]:
        thoughts = _Thoughts()
        async for chunk in super()._astream(*args, **kwargs):
            if isinstance(chunk.message.content, str) and chunk.message.content:
                text = thoughts.taken_off(chunk.message.content)
                if text != chunk.message.content:
                    chunk.message.additional_kwargs["reasoning_content"] = ""
                    chunk.message.content = chunk.text = text
            yield chunk


class _Thoughts:
    """Removes the thoughts at the beginning of a text as it arrives."""

    def __init__(self) -> None:
        self.waiting = ""
        self.begun = False
        self.over = False
        self.shown = False

    def taken_off(self, piece: str) -> str:
        """The part of a piece of the text that is shown."""
        if self.over:
            shown = piece if self.shown else piece.lstrip()
            self.shown = self.shown or bool(shown)
            return shown
        self.waiting += piece
        self.begun = self.begun or bool(THOUGHT_OPENS.match(self.waiting))
        if not self.begun:
            self.over = self.shown = not _MAY_OPEN.fullmatch(self.waiting)
            return self.waiting if self.over else ""
        if close_tag := THOUGHT_CLOSES.search(self.waiting):
            self.over = True
            return self.taken_off(self.waiting[close_tag.end() :])
        self.waiting = self.waiting[-_LONGEST_TAG:]  # the tag may come in two pieces
        return ""
