"""Attribution: the evidence chosen covers the questions as well as any choice of that size could."""

from itertools import combinations

from hypothesis import given
from hypothesis import strategies as st

from errata.nodes.rarr.attribute import best_cover

MATRICES = st.tuples(st.integers(1, 6), st.integers(1, 8)).flatmap(
    lambda size: st.lists(
        st.lists(st.integers(0, 10).map(float), min_size=size[1], max_size=size[1]), min_size=size[0], max_size=size[0]
    )
)


def worth(scores: list[list[float]], chosen: list[int]) -> float:
    return sum(max((row[column] for column in chosen), default=0.0) for row in scores)


@given(MATRICES, st.integers(1, 5))
def test_no_other_choice_covers_better(scores: list[list[float]], most: int) -> None:
    chosen = best_cover(scores, most)
    columns = range(len(scores[0]))
    assert chosen == sorted(set(chosen))
    assert len(chosen) == min(most, len(columns))
    best = max(worth(scores, list(other)) for other in combinations(columns, min(most, len(columns))))
    assert worth(scores, chosen) == best


def test_too_many_to_try_all_are_chosen_greedily() -> None:
    scores = [[1.0 if column == 7 * row else 0.0 for column in range(60)] for row in range(5)]
    assert best_cover(scores, 5) == [0, 7, 14, 21, 28]


def test_nothing_to_choose_from() -> None:
    assert best_cover([], 5) == []
