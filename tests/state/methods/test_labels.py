"""What several labels come to, against tables made by hand."""

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from errata.state import Label
from errata.state.methods.labels import WORST, major, merge, percents, soft, strict

E: Label = "entailment"
N: Label = "neutral"
C: Label = "contradiction"
X: Label = "error"
LABELS = st.lists(st.sampled_from([E, N, C, X]), max_size=12)


@pytest.mark.parametrize(
    ("given_labels", "merged"),
    [
        ([], N),
        ([N, N], N),
        ([N, C], C),
        ([C, N, E], E),
        ([E, C, C], E),
        ([X], X),
        ([X, N], X),
        ([X, C], X),
        ([X, E], E),
    ],
)
def test_of_several_passages_support_counts_first(given_labels: list[Label], merged: str) -> None:
    assert merge(given_labels) == merged


@given(LABELS, st.integers(0, 12), st.randoms())
def test_merging_is_the_same_in_any_order_and_in_any_steps(labels: list[Label], cut: int, chance: Random) -> None:
    shuffled = labels.copy()
    chance.shuffle(shuffled)
    assert merge(shuffled) == merge(labels)
    parts = [part for part in (labels[:cut], labels[cut:]) if part]
    assert merge(merge(part) for part in parts) == merge(labels)


@pytest.mark.parametrize(
    ("labels", "worst", "common", "tied", "shares"),
    [
        ([], "abstain", "abstain", False, (0, 0, 0, 1)),
        ([E, E], E, E, False, (1, 0, 0, 0)),
        ([E, N], N, N, True, (0.5, 0.5, 0, 0)),
        ([E, E, C, C], C, C, True, (0.5, 0, 0.5, 0)),
        ([E, E, N], N, E, False, (2 / 3, 1 / 3, 0, 0)),
        ([E, N, N, C, C], C, C, True, (0.2, 0.4, 0.4, 0)),
        ([X], X, X, False, None),
        ([E, E, E, X], X, E, False, (1, 0, 0, 0)),
        ([E, N, X], X, X, False, (0.5, 0.5, 0, 0)),
        ([C, X, X], C, X, False, (0, 0, 1, 0)),
    ],
)
def test_what_the_claims_of_a_response_come_to(
    labels: list[Label], worst: str, common: str, tied: bool, shares: tuple[float, ...] | None
) -> None:
    assert strict(labels) == worst
    assert major(labels) == (common, tied)
    found = soft(labels)
    assert (tuple(found.values()) if found else None) == (pytest.approx(shares) if shares else None)


@given(LABELS)
def test_shares_add_up_and_strict_is_the_worst_there_is(labels: list[Label]) -> None:
    found = soft(labels)
    assert (found is None) == (bool(labels) and set(labels) == {X})
    if found:
        shares = [found["entailment"], found["neutral"], found["contradiction"], found["abstain"]]
        assert sum(shares) == pytest.approx(1.0)
        assert sum(percents(shares)) == 100
    worst = strict(labels)
    assert worst == (min(labels, key=WORST.index) if labels else "abstain")


def test_per_cents_add_up_as_in_the_paper_s_example() -> None:
    assert percents([1 / 7, 1 / 7, 5 / 7]) == [14, 14, 72]
