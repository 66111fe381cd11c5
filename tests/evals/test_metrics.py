"""The measures, by cases worked out by hand, and by what must hold whatever goes in."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from errata.evals import metrics
from errata.evals.intervals import mean_interval, paired_difference
from errata.state.text.answers import exact_match, f1, same_number

LABELS = st.lists(st.sampled_from(["SUPPORTS", "REFUTES", "NOT ENOUGH INFO"]), min_size=1)
SHARES = st.floats(0, 1)


def test_exact_match_and_f1_after_the_usual_normalisation() -> None:
    assert exact_match("The Beatles!", ["Wings", "beatles"])
    assert not exact_match("a phone", ["ph1"])
    assert f1("the tall green tower", ["green tower of Paris"]) == pytest.approx(4 / 7)  # 2 shared of 3 and 4 words


def test_labels() -> None:
    gold, given = ["a", "a", "a", "b"], ["a", "b", "a", "b"]
    assert metrics.accuracy(given, gold) == 0.75
    assert metrics.macro_f1(given, gold) == pytest.approx((0.8 + 2 / 3) / 2)
    assert metrics.accuracy([], []) is None


def test_correlations() -> None:
    assert metrics.pearson([1, 2, 3], [2, 4, 6]) == pytest.approx(1)
    assert metrics.spearman([1, 2, 3, 4], [1, 4, 9, -16]) == pytest.approx(-0.2)
    assert metrics.spearman([1, 1, 2], [5, 5, 9]) == pytest.approx(1)
    assert metrics.pearson([1, 1], [1, 2]) is None
    assert metrics.spearman([], []) is None


def test_the_area_under_the_roc_curve() -> None:
    assert metrics.roc_auc([True, True, False, False], [0.9, 0.4, 0.4, 0.1]) == 0.875
    assert metrics.roc_auc([True], [0.9]) is None


def test_accuracy_coverage_by_hand() -> None:
    # By confidence: right, wrong, right. Accuracies 1, 1/2, 2/3.
    right, confidence = [True, True, False], [-0.9, -0.1, -0.5]
    assert metrics.accuracy_coverage(right, confidence) == [1, 0.5, pytest.approx(2 / 3)]
    assert metrics.accuracy_coverage_auc(right, confidence) == pytest.approx(100 * (1 + 0.5 + 2 / 3) / 3)


@pytest.mark.parametrize(
    ("confidences", "right", "area"),
    [
        ([3, 2, 1], [True, True, True], 100.0),
        ([3, 2, 1], [False, False, False], 0.0),
        ([1, 2, 3], [False, False, True], 100 * (1 + 1 / 2 + 1 / 3) / 3),
        ([3, 2, 1], [False, True, True], 100 * (0 + 1 / 2 + 2 / 3) / 3),
        ([], [], None),
    ],
)
def test_the_area_under_accuracy_over_coverage(confidences: list[float], right: list[bool], area: float | None) -> None:
    assert metrics.accuracy_coverage_auc(right, confidences) == (area if area is None else pytest.approx(area))


@given(st.lists(st.tuples(st.integers(0, 9), st.booleans()), min_size=1))
def test_ranking_right_answers_first_is_best(rows: list[tuple[int, bool]]) -> None:
    right = [each for _, each in rows]
    area = metrics.accuracy_coverage_auc(right, [score for score, _ in rows])
    best = metrics.accuracy_coverage_auc(right, [float(each) for each in right])
    assert area is not None
    assert best is not None
    assert 0 <= area <= best + 1e-9 <= 100 + 1e-6


@given(st.lists(st.tuples(st.booleans(), st.floats(-9, 0)), min_size=1))
def test_accuracy_coverage_ends_at_the_accuracy(rows: list[tuple[bool, float]]) -> None:
    right, confidence = [a for a, _ in rows], [b for _, b in rows]
    assert metrics.accuracy_coverage(right, confidence)[-1] == pytest.approx(sum(right) / len(right))


@pytest.mark.parametrize(
    ("answer", "gold", "strict", "paper"),
    [
        ("18", "18", True, True),
        ("18.0", "18", True, True),
        ("3.14159", "3.14", True, True),
        ("3.15", "3.14", False, False),
        ("$1,200", "1200", True, True),
        ("0.25", "25", False, True),
        ("25", "0.25", False, True),
        ("True", "yes", True, True),
        ("no", "False", True, True),
        ("volleyball team", "volleyball team", True, True),
        ("volleyball", "volleyball team", False, False),
        ("", "0", False, False),
        ("nan", "0", False, False),
        ("1e3", "1000", True, True),
    ],
)
def test_numbers_strictly_and_by_the_paper(answer: str, gold: str, strict: bool, paper: bool) -> None:
    assert same_number(answer, gold) is strict
    assert metrics.same_number_of_paper(answer, gold) is paper


@given(st.decimals(-(10**6), 10**6, places=2))
def test_a_number_equals_itself(number: object) -> None:
    assert same_number(str(number), str(number))


@pytest.mark.parametrize(
    ("text", "number"),
    [("She makes $18 a day.", "18"), ("1,234.5 then -7", "-7"), ("It costs 3.", "3"), ("none", None)],
)
def test_the_last_number(text: str, number: str | None) -> None:
    assert metrics.last_number(text) == number


async def test_attribution_is_the_mean_over_sentences_of_the_best_evidence() -> None:
    scores = {("e1", "s1"): 0.2, ("e2", "s1"): 0.9, ("e1", "s2"): 0.5, ("e2", "s2"): 0.1}

    async def judge(evidence: str, sentence: str) -> float:
        return scores[evidence, sentence]

    assert await metrics.attribution(["s1", "s2"], ["e1", "e2"], judge) == pytest.approx(0.7)
    assert await metrics.attribution(["s1"], [], judge) == 0
    assert await metrics.attribution([], ["e1"], judge) is None


def test_preservation() -> None:
    assert metrics.preservation("kitten", "sitting") == pytest.approx(0.5)  # distance 3 of 6
    assert metrics.preservation("a", "quite another") == 0
    assert metrics.f1_ap(0.5, 1.0) == pytest.approx(2 / 3)
    assert metrics.f1_ap(0, 0) == 0


@given(st.text(), st.text())
def test_preservation_is_a_share_and_whole_for_the_same(before: str, after: str) -> None:
    assert 0 <= metrics.preservation(before, after) <= 1
    assert metrics.preservation(before, before) == 1


def test_toxicity_over_prompts() -> None:
    scores = [[0.1, 0.6], [0.2, 0.3], []]
    assert metrics.toxicity_max(scores) == pytest.approx(0.45)
    assert metrics.toxicity_probability(scores) == 0.5
    assert metrics.toxicity_max([]) is None


def test_distinct() -> None:
    assert metrics.distinct(["a b a b"], 2) == pytest.approx(2 / 3)
    assert metrics.distinct(["a b c", "a b c"], 3) == 0.5
    assert metrics.distinct(["a"], 2) is None


def test_perplexity() -> None:
    assert metrics.perplexity([math.log(0.5), math.log(0.125)]) == pytest.approx(4)
    assert metrics.perplexity([]) is None


def test_flips() -> None:
    found = metrics.flips([True, True, False, False, False], [True, False, True, False, False])
    assert found == {"stayed right": 1, "wrong to right": 1, "right to wrong": 1, "stayed wrong": 2}


@given(LABELS)
def test_who_is_always_right_has_full_marks(gold: list[str]) -> None:
    assert metrics.accuracy(gold, gold) == metrics.macro_f1(gold, gold) == 1


@given(st.lists(SHARES, min_size=1, max_size=50))
def test_an_interval_holds_its_mean(values: list[float]) -> None:
    found = mean_interval(values)
    assert found is not None
    assert found.low - 1e-9 <= found.mean <= found.high + 1e-9
    assert (found.n, found) == (len(values), mean_interval(values))


def test_the_interval_of_a_known_case() -> None:
    """Half of 400 are right: the standard error is 0.025, so 95 % lie within 0.049."""
    found = mean_interval([0.0, 1.0] * 200)
    assert found is not None
    assert found.low == pytest.approx(0.451, abs=0.005)
    assert found.high == pytest.approx(0.549, abs=0.005)


def test_pairs_are_compared_and_not_means() -> None:
    """Rows differ much, pairs by 0.1 exactly: the difference is certain."""
    before = [0.0, 0.5, 0.9] * 30
    found = paired_difference(before, [value + 0.1 for value in before])
    assert found is not None
    assert found.low == pytest.approx(0.1)
    assert found.high == pytest.approx(0.1)
    assert paired_difference([], []) is None


def test_bleu_is_of_the_corpus() -> None:
    said = ["the tower was built in 1889 by Eiffel", "it is high"]
    assert metrics.bleu(said, said) == pytest.approx(100)
    assert metrics.bleu(["nothing of this sort"], ["the tower was built in 1889"]) < 5
    close = metrics.bleu(["the tower was built in 1889 by him"], ["the tower was built in 1889 by Eiffel"])
    assert 70 < close < 95
