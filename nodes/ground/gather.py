"""Gathering: the evidence that each passage is shown with, without evidence about something else."""

import asyncio
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from typing import Any

from ...state import Context, Evidence
from ...state.methods.grounding import GroundState, Part
from ...state.methods.refcheck import Reference
from ...state.text.segments import passages, sentences_of, token_count
from ...tools import evidence
from ...tools.search import MAX_TEXT
from ..cite import gathered
from ..following import Unit, Vocabulary, covered, is_about, names_of, topic_of, units
from ..research import GAP, Window, cut_page, in_order
from ..step import emit


async def gather(state: GroundState, context: Context) -> dict[str, Any]:
    """Choose for each passage the evidence about the same thing, as much as fits."""
    texts = state["passages"] or passages(state["text"], context.passage_chars)
    available = gathered(_references(state["references"]), _search_results(state))
    choosing = shown_with(texts, available, context.evidence_tokens)
    # One passage after another: a run that is given up can't end a thread.
    chosen = [await asyncio.to_thread(next, choosing) for _ in texts]
    emit("gather", evidence=[piece for pieces in chosen for piece in pieces])
    return {
        "passages": texts,
        "evidence": gathered(*chosen),
        "parts": [_part(text, pieces) for text, pieces in zip(texts, chosen, strict=True)],
    }


def _part(text: str, pieces: list[Evidence]) -> Part:
    ids = [piece["id"] for piece in pieces]
    return {
        "text": text, "shown": ids, "revised": None, "named": [], "changes": [], "labels": [], "tries": 0, "failed": ""
    }  # fmt: skip


def _references(references: Iterable[str | Reference]) -> Iterator[Evidence]:
    """The given references. A long one is split into pieces, so that it is read to its end."""
    for number, record in enumerate(references, 1):
        reference: Reference = {"text": record} if isinstance(record, str) else record
        source, title = reference.get("source") or f"reference {number}", reference.get("title", "")
        for text in passages(reference["text"].strip(), MAX_TEXT):
            yield evidence(query="", text=text, title=title, source=source)


def _search_results(state: GroundState) -> Iterable[Evidence]:
    """The evidence found for all questions, in their order."""
    return (piece for result in in_order(state["found"]) for piece in result["evidence"])


def shown_with(texts: Iterable[str], available: Iterable[Evidence], room: int) -> Iterator[list[Evidence]]:
    """The evidence for each passage, in `room` tokens."""
    candidates = [_Piece(piece) for piece in available]
    yield from (_chosen_for(text, candidates, room) for text in texts)


class _Piece:
    """A piece of evidence, read once for all passages."""

    def __init__(self, evidence: Evidence) -> None:
        self.evidence = evidence
        self.topic = topic_of(evidence)
        self.size = token_count(evidence["text"])

    @cached_property
    def windows(self) -> list[tuple[Window, Vocabulary]]:
        return [(window, Vocabulary(window.text)) for window in cut_page(self.evidence["text"], 0, None)]


def _chosen_for(passage: str, candidates: Iterable[_Piece], room: int) -> list[Evidence]:
    """The evidence for a passage: of the evidence about the same thing, the most similar first, as long as it fits."""
    sentences, names, mine = sentences_of(passage), names_of(passage), units(passage)
    about = [piece for piece in candidates if any(is_about(sentence, names, piece.topic) for sentence in sentences)]
    chosen: list[Evidence] = []
    for piece in sorted(about, key=lambda piece: -covered(mine, piece.topic.text)):
        fitting = piece.evidence if piece.size <= room else _cut_down(piece, mine, room)
        if fitting["text"]:
            room -= token_count(fitting["text"])
            chosen.append(fitting)
    return chosen


def _cut_down(piece: _Piece, passage: Sequence[Unit], room: int) -> Evidence:
    """The windows of a long piece that share the most words with the passage, as many as fit, in order."""
    chosen: list[Window] = []
    for window, _ in sorted(piece.windows, key=lambda pair: -covered(passage, pair[1])):
        if not room:
            break
        size = token_count(window.text)
        if size <= room and not any(window.overlaps(other) for other in chosen):
            room -= size
            chosen.append(window)
    text, original = GAP.join(window.text for window in sorted(chosen, key=lambda window: window.place)), piece.evidence
    return evidence(
        query=original["query"], text=text, title=original["title"], source=original["source"], score=original["score"]
    )
