"""Cutting a text into pieces for a search: whole sentences, about a paragraph each."""

import re

from ...state.text.segments import Span, sentences

Chunk = tuple[int, int, int]
"""Character offsets [start, end) in the text, and the number of sentences in between."""

CHUNK_CHARS = 1_200

_PARAGRAPH_END = re.compile(r"\n\s*\n")


def chunks(text: str, size: int = CHUNK_CHARS) -> list[Chunk]:
    """Pieces of at most `size` characters that end at the end of a sentence, or of a paragraph if possible.

    Each begins with the last sentence of the piece before, so that "it" can be understood.
    """
    spans = [part for span in sentences(text) for part in _cut(text, span, size)]
    pieces: list[Chunk] = []
    first = 0
    while first < len(spans):
        after = _end_of_chunk(text, spans, first, size)
        pieces.append((spans[first][0], spans[after - 1][1], after - first))
        if after == len(spans):
            break
        first = after - 1 if after - 1 > first else after
    return pieces


def _end_of_chunk(text: str, spans: list[Span], first: int, size: int) -> int:
    """The number of the first span that belongs to the next chunk."""
    start = spans[first][0]
    after = first + 1
    paragraph = 0
    while after < len(spans) and spans[after][1] - start <= size:
        end = spans[after - 1][1]
        if end - start >= size / 2 and _PARAGRAPH_END.search(text, end, spans[after][0]):
            paragraph = after
        after += 1
    return paragraph if paragraph and after < len(spans) else after


def _cut(text: str, span: Span, size: int) -> list[Span]:
    """Cut a sentence that is too long for any chunk (a table, a list without full stops) between words."""
    start, end = span
    pieces: list[Span] = []
    while end - start > size:
        space = text.rfind(" ", start + size // 2, start + size)
        cut = space if space > 0 else start + size
        pieces.append((start, cut))
        start = cut
    return [*pieces, (start, end)]
