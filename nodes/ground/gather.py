"""The start, and the evidence that each passage is shown with."""

import asyncio
from collections.abc import Iterable, Iterator, Set
from functools import cached_property
from typing import Any

from langgraph.types import Overwrite

from ...state import Context, Evidence
from ...state.methods.grounding import GroundState, Part
from ...state.methods.refcheck import Reference
from ...state.text.segments import passages, token_count, tokens
from ...tools import evidence
from ...tools.search import MAX_TEXT
from ..begin import begun, references_of
from ..cite import gathered
from ..rarr.questions import asked_of
from ..research import GAP, Window, cut_page, in_order
from ..step import emit


async def begin(state: GroundState, context: Context) -> dict[str, Any]:
    """Start grounding a text.

    Raises:
        ConfigurationError: As `begun` does, or if references are given and all are empty.
    """
    new = {"passages": [], "questions": [], "found": Overwrite([]), "parts": [], "cited": ""}
    return {**begun(state, context), **new, "references": references_of(state)}


async def questions(state: GroundState, context: Context) -> dict[str, Any]:
    """Ask one round of RARR's questions for every passage."""
    return await asked_of(state, context, 1)


async def gather(state: GroundState, context: Context) -> dict[str, Any]:
    """Choose for each passage the evidence that says most of what it says, as much as fits."""
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
        "text": text, "shown": ids, "form": "", "proposed": [], "changes": [], "labels": [], "tries": 0, "again": False,
        "failed": "",
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
    """The evidence for each passage, in `room` tokens, in the order in which it is available."""
    candidates = [_Piece(place, piece) for place, piece in enumerate(available)]
    yield from (_chosen_for(text, candidates, room) for text in texts)


class _Piece:
    """A piece of evidence, read once for all passages."""

    def __init__(self, place: int, evidence: Evidence) -> None:
        self.place = place
        self.evidence = evidence
        self.words = frozenset(tokens(f"{evidence['title']} {evidence['text']}"))
        self.size = token_count(evidence["text"])

    @cached_property
    def windows(self) -> list[tuple[Window, Set[str]]]:
        return [(window, frozenset(tokens(window.text))) for window in cut_page(self.evidence["text"], 0, None)]


def _chosen_for(passage: str, candidates: Iterable[_Piece], room: int) -> list[Evidence]:
    """The evidence for a passage: first what has most of its words, as long as it fits; none that has no word of it."""
    mine = frozenset(tokens(passage))
    chosen: list[tuple[int, Evidence]] = []
    for piece in sorted(candidates, key=lambda piece: -len(mine & piece.words)):
        fitting = piece.evidence if piece.size <= room else _cut_down(piece, mine, room)
        if fitting["text"] and mine & piece.words:
            room -= token_count(fitting["text"])
            chosen.append((piece.place, fitting))
    return [piece for _, piece in sorted(chosen, key=lambda pair: pair[0])]


def _cut_down(piece: _Piece, passage: Set[str], room: int) -> Evidence:
    """The windows of a long piece that share the most words with the passage, as many as fit, in order."""
    chosen: list[Window] = []
    for window, _ in sorted(piece.windows, key=lambda pair: -len(passage & pair[1])):
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
