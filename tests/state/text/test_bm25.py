"""BM25 scores, with and without an index."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from errata.state.text.bm25 import index_of, scores

TOKENS = st.sampled_from(["ferry", "noon", "harbour", "night", "storm"])


@given(texts=st.lists(st.lists(TOKENS, min_size=1), min_size=1), query=st.lists(TOKENS, min_size=1, unique=True))
def test_without_an_index_the_scores_are_those_of_one(texts: list[list[str]], query: list[str]) -> None:
    index = index_of(texts)
    known = index.get_tokens_ids(query)
    expected = index.get_scores_from_ids(known).tolist() if known else [0.0] * len(texts)
    assert scores([Counter(text) for text in texts], query) == pytest.approx(expected, rel=1e-4)


def test_texts_without_tokens_score_nothing() -> None:
    assert scores([Counter(), Counter()], ["ferry"]) == [0.0, 0.0]
    assert scores([], ["ferry"]) == []
