"""Okapi BM25 for one query: to build an index for it takes twenty times as long."""

from collections import Counter
from collections.abc import Mapping, Sequence
from math import log

SATURATION, NORMALISATION = 1.5, 0.75
"""The parameters k1 and b, as in BM25S (Lù 2024, arXiv 2407.03618)."""


def scores(texts: Sequence[Counter[str]], query: Mapping[str, float], among: int = 0) -> list[float]:
    """The score of each text among these, in Lucene's form.

    Args:
        texts: How often each token occurs in each text.
        query: What each token counts.
        among: As though there were at least so many texts: of two, a word that both have is not worthless.
    """
    lengths = [text.total() for text in texts]
    mean = sum(lengths) / len(texts) if any(lengths) else 1.0
    damping = [SATURATION * (1 - NORMALISATION + NORMALISATION * length / mean) for length in lengths]
    totals = [0.0] * len(texts)
    for token, weight in query.items():
        having = [number for number, text in enumerate(texts) if token in text]
        rarity = weight * log(1 + (max(len(texts), among) - len(having) + 0.5) / (len(having) + 0.5))
        for number in having:
            count = texts[number][token]
            totals[number] += rarity * count / (count + damping[number])
    return totals
