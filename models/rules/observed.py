"""The tool results in the messages of a critique."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from langchain_core.messages import AnyMessage, ToolMessage

from ...state.text.segments import sentences

SEARCH = "search"
CUT = 350
"""In characters. Evidence is shown up to a limit, so the last sentence of a longer text may be cut off."""
_SHOWN = re.compile(r"(?:\[(?P<number>\d+)\] )?(?:\[(?P<title>.*?)\]\s+)?(?P<text>.*)", re.DOTALL)
_NOTHING = re.compile(r"Nothing (?:more )?was found\.")
_ENDED = re.compile(r"[.!?。！？…][\"'”’)\]]*$")
_SCORE = re.compile(r"(?<!\d)(\d+)\s?% toxicity")


@dataclass(frozen=True)
class Piece:
    """A piece of evidence, with the title of its page and its citation number."""

    title: str
    text: str
    number: int = field(default=0, compare=False)


def results_of(messages: Sequence[AnyMessage], tool: str) -> list[ToolMessage]:
    """The results of a tool, in the order of the calls."""
    return [message for message in messages if isinstance(message, ToolMessage) and message.name == tool]


def evidence_in(messages: Sequence[AnyMessage]) -> list[Piece]:
    """The search results, each piece once."""
    pieces: dict[Piece, None] = {}
    for message in results_of(messages, SEARCH):
        result = parsed_result(message.text)
        text = _whole_sentences(result["text"])
        if text.strip() and not _NOTHING.match(text):
            pieces.setdefault(Piece(result["title"] or "", text, int(result["number"] or 0)))
    return list(pieces)


def _whole_sentences(text: str) -> str:
    """The text without a last sentence that was cut off: of `1,083 feet` it may have left `1,0`."""
    text = text.strip()
    if len(text) < CUT or _ENDED.search(text):
        return text
    spans = sentences(text)
    return text[: spans[-1][0]].strip() if len(spans) > 1 else text.rpartition(" ")[0]


def percent(scored: Sequence[ToolMessage]) -> int | None:
    """How toxic the scorer has found the text; None if it has not scored it."""
    match = _SCORE.search(scored[-1].text) if scored else None
    return int(match[1]) if match else None


def parsed_result(text: str) -> re.Match[str]:
    """A tool's result, apart from its number and the title of its page."""
    match = _SHOWN.fullmatch(text)
    assert match is not None  # each of its parts may be missing
    return match
