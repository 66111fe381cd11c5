"""Thresholds: as low as the wanted precision allows, and nothing is said where it is never reached."""

from collections.abc import Sequence

import pytest

from errata.models.judges.calibrating import Judged, figures, held_out, thresholds
from errata.models.judges.network import Scores
from errata.models.judges.notes import Meaning

KNOWN: tuple[Meaning, ...] = ("entailment", "neutral", "contradiction")


def row(label: str, *windows: Sequence[float]) -> Judged:
    return Judged([("", Scores(*each)) for each in windows], label)  # type: ignore[arg-type]


def supported(probability: float) -> list[float]:
    return [probability, 1 - probability, 0.0]


def against(probability: float) -> list[float]:
    return [0.0, 1 - probability, probability]


SURE = [row("entailment", supported(0.9 + place / 1000)) for place in range(20)]
UNSURE = [row("entailment" if place % 2 else "neutral", supported(0.5 + place / 1000)) for place in range(20)]


def test_a_threshold_is_as_low_as_the_precision_allows() -> None:
    judged = [*SURE, *UNSURE]
    assert thresholds(judged, 0.97, KNOWN)["entailment"] == 0.519  # 21 are said, all of them right; the next is wrong
    assert thresholds(judged, 0.76, KNOWN)["entailment"] == 0.501
    told = figures(judged, thresholds(judged, 0.97, KNOWN))["entailment"]
    assert (told["said"], told["precision"], told["recall"]) == (21, 1.0, pytest.approx(21 / 30))


def test_equal_probabilities_pass_together_or_not_at_all() -> None:
    alike = [row("neutral" if place == 9 else "entailment", supported(0.7)) for place in range(10)]
    assert thresholds([*SURE, *alike], 0.97, KNOWN)["entailment"] == 0.9


def test_what_never_reaches_the_precision_is_never_said() -> None:
    wrong = [row("neutral", against(0.99)) for _ in range(20)]
    few = [row("entailment", supported(0.99)) for _ in range(9)]
    found = thresholds([*wrong, *few], 0.9, KNOWN)
    assert found == {"entailment": None, "contradiction": None}
    assert figures(wrong, found)["contradiction"]["said"] == 0


def test_a_judge_without_a_class_for_it_gets_no_threshold() -> None:
    assert thresholds(SURE, 0.9, ["neutral", "entailment"]).keys() == {"entailment"}


def test_contradictions_are_counted_among_what_no_window_supports() -> None:
    torn = [row("entailment", against(0.99), supported(0.99)) for _ in range(20)]
    plain = [row("contradiction", against(0.8)) for _ in range(20)]
    assert thresholds([*torn, *plain], 0.97, KNOWN) == {"entailment": 0.99, "contradiction": 0.8}


def test_what_to_expect_is_measured_on_claims_that_the_thresholds_have_not_seen() -> None:
    # Of the first half all that is as sure as 0.8 is right, of the second half none.
    judged = [row("entailment" if place % 2 == 0 else "neutral", supported(0.8)) for place in range(40)]
    assert held_out(judged, 0.9, KNOWN)["entailment"] | {"threshold": 0} == {
        "threshold": 0, "said": 20, "precision": 0.0, "recall": 0.0
    }  # fmt: skip
