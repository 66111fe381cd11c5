"""Working memory as the tasks see it: the dialogue and the evidence, as text."""

from collections.abc import Iterable, Mapping, Sequence
from textwrap import shorten
from typing import Any

from ...models.tasks.dialogue import Dialogue, ResponseInput
from ...state import Evidence
from ...state.methods.augmenter import Message, Score

LAST_MESSAGES = 10
MESSAGE_CHARS = 1_000
"""Limits on the history that a model reads. A message is shown on one line, so that it cannot pose as another turn."""


def dialogue(state: Mapping[str, Any]) -> Dialogue:
    """The message, and the dialogue before it."""
    return {"question": state["question"], "history": transcript(state["history"])}


def response(state: Mapping[str, Any], text: str) -> ResponseInput:
    """The dialogue, the evidence and a response."""
    pieces = state["evidence"]
    return {
        **dialogue(state),
        "evidence": paths(pieces, state["chains"]),
        "passages": [piece["text"] for piece in pieces],
        "text": text,
    }


def transcript(history: Sequence[Message]) -> str:
    """The last turns of a dialogue, one per line."""
    return "\n".join(
        f"{message['role'].capitalize()}: {shorten(message['content'], MESSAGE_CHARS, placeholder=' …')}"
        for message in history[-LAST_MESSAGES:]
    )


def paths(evidence: Iterable[Evidence], chains: Iterable[Sequence[str]]) -> str:
    """The evidence paths, one per line."""
    pieces = {piece["id"]: piece for piece in evidence}
    return "\n".join("- " + " → ".join(titled(pieces[evidence_id]) for evidence_id in chain) for chain in chains)


def titled(piece: Evidence) -> str:
    """A piece of evidence on one line, with the title of its page unless the text already says it."""
    text = " ".join(piece["text"].split())
    return f"[{piece['title']}] {text}" if piece["title"] and piece["title"] not in text else text


def best(scores: Sequence[Score]) -> int:
    """The index of the best candidate: the earliest with the highest score. Unscored candidates come last."""
    return max(range(len(scores)), key=lambda place: -1.0 if (mark := scores[place]["overall"]) is None else mark)
