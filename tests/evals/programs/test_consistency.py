"""The figures of consistency: areas and thresholds by hand, and nothing of the right answer in what ranks."""

import asyncio
import json
from math import exp
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from langchain_core.runnables import RunnableLambda

from errata.evals.programs import consistency as measured
from errata.evals.programs.calibrator import Calibrator, factuality, features
from errata.evals.programs.consistency import accuracy_by_threshold, density
from errata.state import Context

from ...conftest import Errata
from ...fakes import always, equal_rank


def item(score: float, before: bool, after: bool, **more: Any) -> measured.Item:
    found: Any = {"logprob": None, "rationale": "", "paragraphs": [], **more}
    made: measured.Item = found | {"consistency": score, "before": before, "after": after}
    return made


def test_figures_by_hand() -> None:
    items = [
        item(5, True, False),
        item(3, True, False),
        item(2, False, True),
        item(1, True, True),
        item(1, False, False),
    ]
    found = measured.figures(items, samples=5, failed=1)
    assert (found["n"], found["failed"]) == (5, 1)
    assert found["accuracy_samples"] == 0.6
    assert found["accuracy_default"] == 0.8, "3 is not below 3"
    assert found["accuracy_edited"] == 0.4
    assert found["edited_default"] == 0.6
    assert (found["consistency_right"], found["consistency_wrong"]) == (3.0, 1.5)
    assert found["auc_calibrator"] is None
    assert measured.at_threshold(items, 3.1) == [True, False, True, True, False]
    assert measured.figures([], 5)["accuracy_samples"] is None


def test_rows_are_ranked_by_the_probability_of_their_answers_only_if_all_are_known() -> None:
    wrong, right, unanswered = (
        item(1, False, False, logprob=-2.0),
        item(2, True, True, logprob=-0.1),
        item(0, False, False),
    )
    assert measured.figures([wrong, right, unanswered], 5)["auc_samples"] == pytest.approx(
        100 * (1 + 1 / 2 + 1 / 3) / 3
    )
    unknown = {**wrong, "consistency": 5.0, "logprob": None}
    ranked_by_consistency = measured.figures([unknown, right], 5)  # type: ignore[list-item]
    assert ranked_by_consistency["auc_samples"] == pytest.approx(100 * (0 + 1 / 2) / 2)


PARAGRAPHS = ["The Eiffel Tower is in Paris.", "Ada Lovelace wrote on the engine."]


async def final(given: dict[str, Any]) -> Any:
    if "broken" in given["question"]:
        raise RuntimeError("down")
    return {"text": "The answer is Paris."}


BACKENDS = {
    "chains": always({"samples": [{"text": "First, it is in Lyon. The answer is Lyon.", "logprob": -0.5}] * 3}),
    "verifying_question": always({"text": "Where is the tower?"}),
    "verifying_answer": always({"text": "It is in Paris."}),
    "final_answer": RunnableLambda(final),
    "rank": RunnableLambda(equal_rank),
}
KNOWN = {"backends": BACKENDS, "search": "dataset", "cache": False}
"""Settings of a run that comes to Lyon, and edited to Paris."""


@pytest.mark.parametrize(
    ("rationale", "expected"),
    [
        ("First, the Eiffel Tower is in Paris. The answer is Lyon.", 1.0),
        ("First, the Eiffel Tower is in Lyon.", (2 / 3) ** 3),
        ("First, the Eiffel Tower is in Paris. Second, Ada Lovelace wrote a song.", 0.75**3),
        ("The answer is Lyon.", 1.0),
        ("First, zebras sing.", 0.0),
    ],
)
def test_factuality_is_that_of_the_weakest_claim(rationale: str, expected: float) -> None:
    assert factuality(rationale, PARAGRAPHS) == pytest.approx(expected)


def test_without_paragraphs_nothing_is_supported() -> None:
    assert factuality("First, the Eiffel Tower is in Paris.", []) == 0.0


@settings(max_examples=15, deadline=None)
@given(gold=st.text(), other=st.text())
def test_the_right_answer_is_not_among_what_ranks(gold: str, other: str) -> None:
    """Rows that differ in nothing but what is right differ in nothing but whether they are."""
    rows = [
        measured.Row(question="Where?", gold=[right], claim=False, paragraphs=PARAGRAPHS) for right in (gold, other)
    ]
    (one, two), _ = asyncio.run(measured.measure(rows, KNOWN))
    assert {**one, "before": 0, "after": 0} == {**two, "before": 0, "after": 0}
    ranked = [features(each["rationale"], each["logprob"] or 0.0, each["paragraphs"]) for each in (one, two)]
    assert ranked[0] == ranked[1]


def test_a_calibrator_ranks_the_probable_and_supported_first() -> None:
    calibrator = Calibrator().fit([(0.9, 1.0), (0.1, 0.0), (0.8, 0.9), (0.2, 0.1)], [True, False, True, False])
    sure, unsure = calibrator.confidences([(0.85, 0.95), (0.15, 0.05)])
    assert 1 > sure > unsure > 0
    with pytest.raises(ValueError, match="both"):
        Calibrator().fit([(0.9, 1.0)], [True])


def test_with_paragraphs_the_calibrator_is_measured() -> None:
    supported, not_so = "First, the Eiffel Tower is in Paris.", "First, zebras sing."
    items = [
        item(1, right, right, logprob=-0.1, rationale=supported if right else not_so, paragraphs=PARAGRAPHS)
        for right in (True, True, False, False) * 5
    ]
    found = measured.figures(items, 5)
    assert (found["auc_calibrator"] or 0) > (found["auc_uncalibrated"] or 100)


def test_rows_of_all_kinds_are_read(tmp_path: Path) -> None:
    rows = [
        {"question": "Q?", "answer": "A"},
        {"question": "Q?", "answer": ["A", "B"], "paragraphs": ["P"]},
        {"question": "Q?", "answer": "A", "context": [["Title", ["One.", "Two."]]]},
        {"claim": "C.", "label": "REFUTES"},
    ]
    lines, whole = tmp_path / "rows.jsonl", tmp_path / "rows.json"
    lines.write_text("\n".join(map(json.dumps, rows)))
    whole.write_text(json.dumps(rows))
    found = measured.read_rows(lines)
    assert found == measured.read_rows(whole)
    assert [row["gold"] for row in found] == [["A"], ["A", "B"], ["A"], ["REFUTES"]]
    assert [row["paragraphs"] for row in found] == [[], ["P"], ["Title. One. Two."], []]
    assert [row["claim"] for row in found] == [False, False, False, True]
    assert len(measured.read_rows(lines, 2)) == 2
    for bad in ('{"question": "Q?"}', '{"claim": "C.", "label": "MAYBE"}', "[1]"):
        lines.write_text(bad)
        with pytest.raises(ValueError, match="row 1"):
            measured.read_rows(lines)


async def test_every_chain_is_edited_and_a_failure_counts_as_none() -> None:
    rows = [
        measured.Row(question=question, gold=[gold], claim=False, paragraphs=PARAGRAPHS)
        for question, gold in (("Where?", "Paris"), ("Where?", "Lyon"), ("broken", "Paris"))
    ]
    items, failed = await measured.measure(rows, KNOWN)
    assert failed == 1
    assert [(each["before"], each["after"]) for each in items] == [(False, True), (True, False)]
    assert [each["consistency"] for each in items] == pytest.approx([3 * exp(-0.5)] * 2)


def test_pictures_are_drawn(tmp_path: Path) -> None:
    items = [item(5, True, False), item(1, False, True)]
    paths = measured.draw(items, 5, tmp_path / "pictures")
    assert [path.name for path in paths] == ["density.svg", "threshold.svg"]
    assert all(path.read_text().startswith("<svg") for path in paths)
    assert "n = 1" in paths[0].read_text()
    assert "default 3" in paths[1].read_text()


@given(st.lists(st.floats(0, 5)), st.lists(st.floats(0, 5)))
def test_any_figures_can_be_drawn(right: list[float], wrong: list[float]) -> None:
    for picture in (density(right, wrong, 5), accuracy_by_threshold([(0, 0.5), (5, 0.0)], 5, 3, 0.0)):
        assert "nan" not in picture
        assert "inf" not in picture


def test_the_command_says_what_is_wrong(errata: Errata, tmp_path: Path) -> None:
    code, _, err = errata("eval", "consistency", tmp_path / "none.json")
    assert (code, err.startswith("errata: there is no file"), len(err.splitlines())) == (2, True, 1)
    (tmp_path / "bad.json").write_text("{")
    assert errata("eval", "consistency", tmp_path / "bad.json")[0] == 2
    assert Context().samples == 5
