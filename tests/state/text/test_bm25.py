"""BM25 scores of a few texts for one query."""

from collections import Counter
from math import log

import pytest
from hypothesis import given
from hypothesis import strategies as st

from errata.state.text.bm25 import scores

TOKENS = st.sampled_from(["ferry", "noon", "harbour", "night", "storm"])


def scored(query: str, *texts: str) -> list[float]:
    return scores([Counter(text.split()) for text in texts], dict.fromkeys(query.split(), 1.0))


def test_a_score_as_computed_by_hand() -> None:
    first, second = scored("ferry", "ferry at noon", "night")
    assert first == pytest.approx(log(1 + 1.5 / 1.5) * 1 / (1 + 1.5 * (0.25 + 0.75 * 3 / 2)))
    assert second == 0


def test_rare_words_short_texts_and_repetition_count_more() -> None:
    rare, common, _ = scored("storm ferry", "storm", "ferry", "ferry")
    assert rare > common
    short, long = scored("ferry", "ferry", "ferry and the harbour")
    assert short > long
    once, twice, thrice = scored("ferry", "ferry a b c", "ferry ferry b c", "ferry ferry ferry c")
    assert 0 < thrice - twice < twice - once


def test_what_counts_more_and_what_is_common_only_among_these() -> None:
    texts = [Counter(["ferry"]), Counter(["noon"])]
    plain, weighed = scores(texts, {"ferry": 1.0, "noon": 2.0})
    assert weighed == pytest.approx(2 * plain)
    both = [Counter(["ferry", "noon"]), Counter(["ferry", "night"])]
    few, _ = scores(both, {"ferry": 1.0})
    assert scores(both, {"ferry": 1.0}, among=20)[0] > 5 * few


def test_texts_without_tokens_score_nothing() -> None:
    assert scored("ferry", "", "") == [0.0, 0.0]
    assert scored("ferry") == []


@given(texts=st.lists(st.lists(TOKENS)), query=st.lists(TOKENS, unique=True))
def test_a_text_scores_if_it_has_a_word_of_the_query(texts: list[list[str]], query: list[str]) -> None:
    found = scores([Counter(text) for text in texts], dict.fromkeys(query, 1.0))
    assert [score > 0 for score in found] == [bool({*text} & {*query}) for text in texts]
