"""Okapi BM25, by bm25s."""

import logging
from collections.abc import Sequence
from typing import Any


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
