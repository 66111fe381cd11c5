"""The task `rank`: Okapi BM25 over the passages at hand."""

import re
from collections import Counter
from collections.abc import Callable, Collection
from functools import lru_cache
from itertools import chain

from ...state.text.amounts import SMALL_NUMBERS, TENS
from ...state.text.bm25 import scores
from ...state.text.segments import tokens
from ..tasks.correction import Ranking, RankInput
from .language.align import asked_for
from .language.words import relation

_SENTENCE = re.compile(r"(?<=[.!?。！？])\s*")
NUMBERS = frozenset(tokens(" ".join([*SMALL_NUMBERS, *TENS])))
UNANSWERED = 0.5
"""What a sentence counts that has no date for a question that asks when, or no number for one that asks how many."""
ANSWERING: dict[str, Callable[[Collection[str]], bool]] = {
    "date": lambda sentence: any(len(term) > 2 and term.isdigit() for term in sentence),
    "amount": lambda sentence: any(term[0].isdigit() or term in NUMBERS for term in sentence),
}


def rank(task_input: RankInput) -> Ranking:
    """Score each passage against the query, as a whole and by its best sentence: an answer is one sentence."""
    passages, query = task_input["passages"], list(dict.fromkeys(terms(task_input["query"])))
    split = [_counted(passage) for passage in passages]
    whole_scores = scores([whole for whole, _ in split], query)
    answer = ANSWERING.get(asked_for(task_input["query"]))
    flat = [(number, sentence) for number, (_, sentences) in enumerate(split) for sentence in sentences]
    best = [0.0] * len(passages)
    for (number, sentence), score in zip(flat, scores([sentence for _, sentence in flat], query), strict=True):
        if score > best[number]:
            answers = answer is None or answer(sentence)
            best[number] = max(best[number], score if answers else UNANSWERED * score)
    return Ranking(scores=[of_whole + of_best for of_whole, of_best in zip(whole_scores, best, strict=True)])


@lru_cache(maxsize=1_000)
def _counted(passage: str) -> tuple[Counter[str], tuple[Counter[str], ...]]:
    """How often a passage has each term, and each of its sentences. The same page is ranked for several questions."""
    sentences = tuple(Counter(terms(sentence)) for sentence in _SENTENCE.split(passage))
    return Counter(chain.from_iterable(sentence.elements() for sentence in sentences)), sentences


def terms(text: str) -> list[str]:
    """Search tokens, and for a word like `finished` or `sank` also the word that stands for its relation."""
    all_terms = tokens(text)
    return all_terms + [f"={relation(token)}" for token in all_terms if relation(token)]
