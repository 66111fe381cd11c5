"""The task `rank`: Okapi BM25 over the passages at hand."""

import re
from collections.abc import Callable, Collection

from ...state.text.amounts import SMALL_NUMBERS, TENS
from ...state.text.bm25 import index_of
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
    if not passages or not query:
        return Ranking(scores=[0.0] * len(passages))
    split = [[terms(sentence) for sentence in _SENTENCE.split(passage)] for passage in passages]
    whole_scores = scored([[term for sentence in sentences for term in sentence] for sentences in split], query)
    answer = ANSWERING.get(asked_for(task_input["query"]))
    flat = [(number, sentence) for number, sentences in enumerate(split) for sentence in sentences]
    best = [0.0] * len(passages)
    for (number, sentence), score in zip(flat, scored([sentence for _, sentence in flat], query), strict=True):
        best[number] = max(best[number], score if answer is None or answer(sentence) else UNANSWERED * score)
    return Ranking(scores=[of_whole + of_best for of_whole, of_best in zip(whole_scores, best, strict=True)])


def scored(texts: list[list[str]], query: list[str]) -> list[float]:
    """The BM25 score of each text among these."""
    if not any(texts):  # a mean length of zero would be divided by
        return [0.0] * len(texts)
    index = index_of(texts)
    token_ids = index.get_tokens_ids(query)
    scores: list[float] = index.get_scores_from_ids(token_ids).tolist() if token_ids else [0.0] * len(texts)
    return scores


def terms(text: str) -> list[str]:
    """Search tokens, and for a word like `finished` or `sank` also the word that stands for its relation."""
    all_terms = tokens(text)
    return all_terms + [f"={relation(token)}" for token in all_terms if relation(token)]
