"""The task `rank`: Okapi BM25 over the passages at hand."""

import re
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import chain

from ...state.text.amounts import SMALL_NUMBERS, TENS
from ...state.text.bm25 import scores
from ...state.text.segments import tokens
from ..tasks.correction import Ranking, RankInput
from .language.align import asked_for
from .language.facts import Fact, find
from .language.words import in_one_word, relation

_SENTENCE = re.compile(r"(?<=[.!?。！？])\s*")
NUMBERS = frozenset(tokens(" ".join([*SMALL_NUMBERS, *TENS])))
UNANSWERED = 0.3
"""What a sentence counts that has no fact of the kind that is asked for, as no date for a question that asks when."""

OF_A_NAME = 2.0
"""What a word of a name in the question counts: another thing may do the same, but is no answer."""
AMONG = 20
"""As though so many passages had been found: those of a search all have the question's words."""


@dataclass(frozen=True)
class Sentence:
    """A sentence of a passage."""

    text: str
    terms: Counter[str]
    """How often it has each."""

    @cached_property
    def names(self) -> list[Fact]:
        """The names in it."""
        return [fact for fact in find(self.text, 0, len(self.text)) if fact.kind == "name"]


def _has_date(sentence: Sentence, query: str) -> bool:
    return any(len(term) > 2 and term.isdigit() for term in sentence.terms)


def _has_amount(sentence: Sentence, query: str) -> bool:
    return any(term[0].isdigit() or term in NUMBERS for term in sentence.terms)


def _has_place(sentence: Sentence, query: str) -> bool:
    return any(name.meant and name.text not in query for name in sentence.names)


def _has_person(sentence: Sentence, query: str) -> bool:
    return any(not name.meant and name.text not in query for name in sentence.names)


ANSWERING: dict[str, Callable[[Sentence, str], bool]] = {
    "date": _has_date,
    "amount": _has_amount,
    "place": _has_place,
    "person": _has_person,
}


def rank(task_input: RankInput) -> Ranking:
    """Score each passage against the query, as a whole and by its best sentence: an answer is one sentence."""
    passages, query = task_input["passages"], _weighed(task_input["query"])
    split = [_counted(passage) for passage in passages]
    whole_scores = scores([whole for whole, _ in split], query, AMONG)
    answers = ANSWERING.get(asked_for(task_input["query"]))
    flat = [(number, sentence) for number, (_, sentences) in enumerate(split) for sentence in sentences]
    best = [0.0] * len(passages)
    for (number, sentence), score in zip(flat, scores([each.terms for _, each in flat], query, AMONG), strict=True):
        if score > best[number]:
            known = answers is None or answers(sentence, task_input["query"])
            best[number] = max(best[number], score if known else UNANSWERED * score)
    return Ranking(scores=[of_whole + of_best for of_whole, of_best in zip(whole_scores, best, strict=True)])


@lru_cache(maxsize=1_000)
def _counted(passage: str) -> tuple[Counter[str], tuple[Sentence, ...]]:
    """How often a passage has each term, and its sentences. The same page is ranked for several questions."""
    sentences = tuple(Sentence(text, Counter(terms(text))) for text in _SENTENCE.split(passage))
    return Counter(chain.from_iterable(sentence.terms.elements() for sentence in sentences)), sentences


def terms(text: str) -> list[str]:
    """Search tokens, and for a word like `finished` or `sank` also the word that stands for its relation."""
    all_terms = tokens(in_one_word(text))
    return all_terms + [f"={relation(token)}" for token in all_terms if relation(token)]


def _weighed(query: str) -> dict[str, float]:
    """The terms of a query, and what each counts."""
    named = {term for fact in find(query, 0, len(query)) if fact.kind == "name" for term in terms(fact.text)}
    return {term: OF_A_NAME if term in named else 1.0 for term in terms(query)}
