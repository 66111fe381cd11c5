"""The task `rank`: Okapi BM25 over the passages at hand."""

import re
from collections import Counter
from collections.abc import Callable
from math import log
from typing import Any

from ...state.amounts import SMALL_NUMBERS, TENS
from ...state.text import tokens
from ..tasks.correction import Ranking
from .align import asked_for
from .words import relation

SATURATION = 1.5
"""k1: how soon further occurrences of a word stop counting."""
_SENTENCE = re.compile(r"(?<=[.!?。！？])\s*")
LENGTH_WEIGHT = 0.75
"""b: how much a long passage is held back."""

NUMBERS = frozenset(tokens(" ".join([*SMALL_NUMBERS, *TENS])))
UNANSWERED = 0.5
"""What a sentence counts that has no date for a question that asks when, or no number for one that asks how many."""
ANSWERING: dict[str, Callable[[Counter[str]], bool]] = {
    "date": lambda sentence: any(len(term) > 2 and term.isdigit() for term in sentence),
    "amount": lambda sentence: any(term[0].isdigit() or term in NUMBERS for term in sentence),
}


def rank(task_input: dict[str, Any]) -> Ranking:
    """Score each passage against the query, as a whole and by its best sentence.

    Document frequencies are those of the passages themselves. The sentence counts because an answer is one sentence.
    """
    passages, query = task_input["passages"], dict.fromkeys(terms(task_input["query"]))
    if not passages:
        return Ranking(scores=[])
    split = [[Counter(terms(sentence)) for sentence in _SENTENCE.split(passage)] for passage in passages]
    whole = [sum(sentences, Counter()) for sentences in split]
    wanted = {term: _rarity(term, whole) for term in query}
    length = _mean(whole)
    sentence_length = _mean([sentence for sentences in split for sentence in sentences])
    answer = ANSWERING.get(asked_for(task_input["query"]))
    return Ranking(
        scores=[
            _score(count, count.total() / length, wanted)
            + max(
                _score(sentence, sentence.total() / sentence_length, wanted)
                * (1.0 if answer is None or answer(sentence) else UNANSWERED)
                for sentence in sentences
            )
            for count, sentences in zip(whole, split, strict=True)
        ]
    )


def _mean(counts: list[Counter[str]]) -> float:
    """The mean length; never zero, because it is divided by."""
    return sum(count.total() for count in counts) / len(counts) or 1.0


def terms(text: str) -> list[str]:
    """Search tokens, and for a word like `finished` or `sank` also the word that stands for its relation."""
    found = tokens(text)
    return found + [f"={relation(token)}" for token in found if relation(token)]


def _rarity(term: str, counts: list[Counter[str]]) -> float:
    """Inverse document frequency, in the form that is never negative."""
    holding = sum(term in count for count in counts)
    return log(1 + (len(counts) - holding + 0.5) / (holding + 0.5))


def _score(count: Counter[str], relative_length: float, wanted: dict[str, float]) -> float:
    damping = SATURATION * (1 - LENGTH_WEIGHT + LENGTH_WEIGHT * relative_length)
    return sum(rarity * count[term] * (SATURATION + 1) / (count[term] + damping) for term, rarity in wanted.items())
