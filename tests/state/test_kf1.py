"""Knowledge F1: symmetric, from 0 to 1, and blind to case, punctuation and articles."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from errata.state.text.answers import kf1

WORDS = st.lists(st.sampled_from(["tower", "Paris", "330", "metres", "completed", "에펠탑", "铁塔", "is"]), max_size=8)
TEXT = st.one_of(st.text(max_size=40), WORDS.map(" ".join))


@given(one=TEXT, other=TEXT)
def test_it_is_symmetric_and_between_0_and_1(one: str, other: str) -> None:
    assert 0 <= kf1(one, other) <= 1
    assert kf1(one, other) == kf1(other, one)


@given(text=TEXT)
def test_equal_texts_have_1(text: str) -> None:
    assert kf1(text, text) == 1


@given(words=WORDS, other=TEXT)
def test_case_punctuation_and_articles_count_for_nothing(words: list[str], other: str) -> None:
    plain, dressed = " ".join(words), " the ".join(f"“{word.upper()}”," for word in words) + " …!"
    assert kf1(plain, other) == kf1(dressed, other)


@pytest.mark.parametrize(
    ("response", "evidence", "expected"),
    [
        ("The tower is 330 metres high.", "tower 330 metres", 0.75),  # 3 of 5 and 3 of 3 words
        ("It is in Paris.", "The Nile is in Africa.", 0.5),
        ("dogs dogs dogs", "dogs welcome", 0.4),  # a word counts as often as both have it
        ("에펠탑은 파리에", "파리에 있다", 0.5),
        ("", "something", 0.0),
    ],
)
def test_worked_figures(response: str, evidence: str, expected: float) -> None:
    assert kf1(response, evidence) == pytest.approx(expected)
