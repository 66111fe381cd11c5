"""The task `rank`: Okapi BM25 over the passages at hand."""

import re
from collections import Counter
from functools import lru_cache
from itertools import chain

from ...state.text.bm25 import scores
from ...state.text.segments import tokens
from ..tasks.correction import Ranking, RankInput
from .opposites import RELATIONS, stem

_SENTENCE = re.compile(r"(?<=[.!?。！？])\s*")
_WORD = re.compile(r"[^\W\d_]+")
_NAME = re.compile(r"(?<!^)\b[A-Z][^\W_]+")
UNANSWERED = 0.3
"""What a sentence counts that has no date or number for a question that asks for one."""
OF_A_NAME = 2.0
"""What a word of a name in the question counts: another thing may do the same, but is no answer."""
AMONG = 20
"""As though so many passages had been found: those of a search all have the question's words."""
_ASKS = (
    (re.compile(r"\bwhen\b|\b(?:what|which) (?:year|date|day)\b", re.I), re.compile(r"\d{2}")),
    (
        re.compile(r"\bhow (?:many|much|long|old|far|tall|high|often)\b", re.I),
        re.compile(r"\d|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)\b"),
    ),
    (re.compile(r"\bwhere\b", re.I), re.compile(r"(?:\bin|\bat|\bnear) (?:the )?(?:\w+ of )?[A-Z]")),
)
"""What a question asks for, and what an answer has."""


def rank(task_input: RankInput) -> Ranking:
    """Score each passage against the query, as a whole and by its best sentence: an answer is one sentence."""
    passages, query = task_input["passages"], _weighed(task_input["query"])
    split = [_counted(passage) for passage in passages]
    whole_scores = scores([whole for whole, _ in split], query, AMONG)
    answers = next((has for asks, has in _ASKS if asks.search(task_input["query"])), None)
    flat = [(number, *sentence) for number, (_, sentences) in enumerate(split) for sentence in sentences]
    best = [0.0] * len(passages)
    for (number, text, _), score in zip(flat, scores([each for *_, each in flat], query, AMONG), strict=True):
        if score > best[number]:
            known = answers is None or answers.search(text)
            best[number] = max(best[number], score if known else UNANSWERED * score)
    return Ranking(scores=[of_whole + of_best for of_whole, of_best in zip(whole_scores, best, strict=True)])


@lru_cache(maxsize=1_000)
def _counted(passage: str) -> tuple[Counter[str], tuple[tuple[str, Counter[str]], ...]]:
    """How often a passage has each term, and its sentences. The same page is ranked for several questions."""
    sentences = tuple((text, Counter(terms(text))) for text in _SENTENCE.split(passage))
    return Counter(chain.from_iterable(counted.elements() for _, counted in sentences)), sentences


def terms(text: str) -> list[str]:
    """Search tokens, and for a word like `finished` also the word that stands for its relation."""
    related = (stem(word) for word in _WORD.findall(text.lower()) if word.isascii())
    return tokens(text) + [f"={word}" for word in related if word in RELATIONS]


def _weighed(query: str) -> dict[str, float]:
    """The terms of a query, and what each counts."""
    named = {term for name in _NAME.findall(query) for term in terms(name)}
    return {term: OF_A_NAME if term in named else 1.0 for term in terms(query)}
