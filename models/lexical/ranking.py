"""The task `rank`: Okapi BM25 over the passages at hand."""

from collections import Counter
from math import log
from typing import Any

from ...state.text import language, tokens
from ..tasks import Ranking
from .words import stem, words

SATURATION = 1.5
"""k1: how soon further occurrences of a word stop counting."""
LENGTH_WEIGHT = 0.75
"""b: how much a long passage is held back."""


def rank(task_input: dict[str, Any]) -> Ranking:
    """Score each passage against the query. Document frequencies are those of the passages themselves."""
    passages = task_input["passages"]
    if not passages:
        return Ranking(scores=[])
    counts = [Counter(terms(passage)) for passage in passages]
    lengths = [sum(count.values()) for count in counts]
    mean = sum(lengths) / len(lengths) or 1.0
    wanted = {term: _rarity(term, counts) for term in dict.fromkeys(terms(task_input["query"]))}
    return Ranking(scores=[_score(count, length / mean, wanted) for count, length in zip(counts, lengths, strict=True)])


def terms(text: str) -> list[str]:
    """Search terms, with `sank` counted as `sink` and `finished` as `completed`."""
    if language(text) != "en":
        return tokens(text)
    return list(filter(None, (stem(word.text) for word in words(text))))


def _rarity(term: str, counts: list[Counter[str]]) -> float:
    """Inverse document frequency, in the form that is never negative."""
    holding = sum(term in count for count in counts)
    return log(1 + (len(counts) - holding + 0.5) / (holding + 0.5))


def _score(count: Counter[str], relative_length: float, wanted: dict[str, float]) -> float:
    damping = SATURATION * (1 - LENGTH_WEIGHT + LENGTH_WEIGHT * relative_length)
    return sum(rarity * count[term] * (SATURATION + 1) / (count[term] + damping) for term, rarity in wanted.items())
