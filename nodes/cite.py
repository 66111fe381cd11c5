"""Cite: which evidence a change or an answer rests on, where nobody has named it. What is cited says the words."""

from collections.abc import Iterable, Sequence
from itertools import chain

from ..state import Evidence
from ..state.text import tokens

UNTELLING = frozenset(tokens("yes no true false not"))
"""Words that say nothing of where they come from."""


def saying(words: Iterable[str], pieces: Sequence[Evidence]) -> list[Evidence]:
    """The pieces of evidence that have all of the words in their title or text; none if the words tell nothing.

    Args:
        words: Tokens of what was put in, or of an answer.
        pieces: What was shown to whoever put it in.
    """
    wanted = set(words)
    if wanted <= UNTELLING:
        return []
    return [piece for piece in pieces if wanted <= set(tokens(f"{piece['title']} {piece['text']}"))]


def gathered(*lists: Iterable[Evidence]) -> list[Evidence]:
    """All evidence, each piece once, as and where it came first."""
    pieces: dict[str, Evidence] = {}
    for piece in chain.from_iterable(lists):
        pieces.setdefault(piece["id"], piece)
    return list(pieces.values())
