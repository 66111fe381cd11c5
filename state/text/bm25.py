"""Okapi BM25: an index by bm25s for many queries, and the same scores at once for one."""

import logging
from collections import Counter
from collections.abc import Sequence
from math import log
from typing import Any

SATURATION, NORMALISATION = 1.5, 0.75
"""The parameters k1 and b, as bm25s has them."""


def scores(texts: Sequence[Counter[str]], query: Sequence[str]) -> list[float]:
    """The score of each text among these, as an index of them would give it.

    To build one for a single query takes twenty times as long.

    Args:
        texts: How often each token occurs in each text.
        query: Different tokens.
    """
    lengths = [text.total() for text in texts]
    mean = sum(lengths) / len(texts) if any(lengths) else 1.0
    damping = [SATURATION * (1 - NORMALISATION + NORMALISATION * length / mean) for length in lengths]
    totals = [0.0] * len(texts)
    for token in query:
        having = [number for number, text in enumerate(texts) if token in text]
        rarity = log(1 + (len(texts) - len(having) + 0.5) / (len(having) + 0.5))
        for number in having:
            count = texts[number][token]
            totals[number] += rarity * count / (count + damping[number])
    return totals


def empty_index() -> Any:
    """An index without texts."""
    import bm25s

    logging.getLogger("bm25s").setLevel(logging.WARNING)  # it sets itself to DEBUG
    return bm25s.BM25(backend="numpy", csc_backend="numpy")


def index_of(texts: Sequence[Sequence[str]]) -> Any:
    """An index of texts, each as its tokens."""
    index = empty_index()
    index.index(texts, show_progress=False)
    return index
