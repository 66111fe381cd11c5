"""Rows scored, runs summed up, two runs compared, and the report of it all."""

from pathlib import Path
from typing import Any

import pytest

from errata.evals.report import render
from errata.evals.running import Ran
from errata.evals.scoring import label_of, score, stated_label
from errata.evals.summary import compare, figures
from errata.evals.tables import rows
from errata.state.runs.meter import NOTHING


def record(result: dict[str, Any] | None, status: str = "done", **row: Any) -> Any:
    empty = {"original": "", "text": "", "evidence": [], "verdicts": [], "usage": {"llm_calls": 2, "seconds": 1.5}}
    full = None if result is None else {**empty, **result}
    return {"line": 1, "id": row.get("id", 1), "status": status, "error": "", "row": row, "result": full}


def test_an_answer_and_its_draft() -> None:
    said = {"original": "It was Lyon. So the answer is: Lyon.", "text": "So the answer is: Paris.", "answer": "Paris"}
    scored = score(record(said, question="Where?", answers=["paris", "City of Light"]), "answer")
    assert (scored["before"], scored["right"]) == (False, True)
    assert (scored["draft"], scored["answer"]) == ("Lyon", "Paris")
    assert scored["scores"]["f1"] == 1
    assert scored["usage"] == {"llm_calls": 2, "seconds": 1.5}


def test_a_correction_is_right_to_the_letter() -> None:
    row: dict[str, Any] = {"text": "It is old, of 1899.", "answers": ["It is old, of 1889."]}
    for text, right in (("It is old, of 1889.", True), ("It is of 1889.", False), ("It is old, of 1899.", False)):
        scored = score(record({"original": row["text"], "text": text}, **row), "correction")
        assert (scored["before"], scored["right"]) == (False, right)


def test_a_number_in_a_sentence_and_a_program_with_its_first_result() -> None:
    assert score(record({"text": "x", "answer": "18 dollars"}, answers=["18"]), "number")["right"]
    ran = {"source": "python:monty", "text": "Execution: Done\nOutput: answer = 25"}
    said = {"original": "answer = 25", "text": "answer = 0.25", "answer": "0.25", "evidence": [ran]}
    scored = score(record(said, answers=["0.25"]), "number")
    assert (scored["before"], scored["right"]) == (False, True)
    scored = score(record({**said, "answer": "25"}, answers=["0.25"]), "number")
    assert (scored["right"], scored["scores"]["paper"]) == (False, 1.0)


def test_no_number_is_read_out_of_a_program_that_failed() -> None:
    failed = {"source": "python:monty", "text": "Execution: SyntaxError: Invalid assignment target (line 1)"}
    said = {"original": "20 = 12 + 8", "text": "20 = 12 + 8", "answer": "", "evidence": [failed]}
    scored = score(record(said, answers=["8"]), "number")
    assert (scored["before"], scored["right"], scored["answer"]) == (False, False, "")
    assert score(record({"text": "That makes 8.", "answer": ""}, answers=["8"]), "number")["right"]


@pytest.mark.parametrize(
    ("labels", "expected"),
    [
        (["entailment", "contradiction"], "REFUTES"),
        (["neutral", "entailment"], "SUPPORTS"),
        (["neutral"], "NOT ENOUGH INFO"),
        ([], "NOT ENOUGH INFO"),
    ],
)
def test_a_claim_by_its_verdicts(labels: list[str], expected: str) -> None:
    assert label_of({"verdicts": [{"label": label} for label in labels], "text": "x"}) == expected


@pytest.mark.parametrize(
    ("answer", "label"),
    [("REFUTES", "REFUTES"), ("The claim is supported", "SUPPORTS"), ("not enough info.", "NOT ENOUGH INFO"),
     ("True.", "SUPPORTS"), ("no", "REFUTES"), ("maybe", "")],
)  # fmt: skip
def test_a_claim_by_the_answer(answer: str, label: str) -> None:
    assert stated_label(answer) == label


def test_claims_against_people() -> None:
    said = {"text": "x", "verdicts": [{"label": "entailment"}, {"label": "neutral"}]}
    scored = score(record(said, human=["entailment", "entailment"]), "claims")
    assert scored["scores"] == {"unsupported": 0.5, "unsupported_human": 0.0, "right": 0.0}
    assert score(record({"text": "x"}, human=["entailment"]), "claims")["right"] is None


def test_a_row_that_came_to_nothing_is_neither_right_nor_wrong() -> None:
    rows = [record(None, "failed", answers=["x"]), record({}, "unchecked", answers=["x"])]
    scored = [score(row, "answer") for row in rows]
    assert [row["scores"] for row in scored] == [{}, {}]
    found = figures("cot", scored)
    assert (found["rows"], found["scored"], found["means"], found["flips"]) == (2, 0, {}, None)


@pytest.mark.parametrize("said", [{"verdicts": []}, {"verdicts": [{"label": "neutral"}]}, {"strict": "error"}])
def test_what_an_error_broke_off_is_no_verdict(said: dict[str, Any]) -> None:
    """Three replies that nobody could use are not three times NOT ENOUGH INFO."""
    row = record({"original": "Rome is new.", "text": "Rome is new.", **said}, "unchecked", label="NOT ENOUGH INFO")
    scored = score(row, "label")
    assert (scored["right"], scored["answer"], scored["text"], scored["scores"]) == (None, "", "", {})
    done = score(record({"text": "Rome is new."}, label="NOT ENOUGH INFO"), "label")
    found = figures("rarr", [scored, done])
    assert found["means"]["right"].mean == 1.0
    assert dict(rows([found]))["rows scored"] == ["1 of 2, 1 unchecked"]


def test_an_answer_stands_though_its_critique_failed() -> None:
    said = {"original": "Paris", "text": "Paris", "answer": "Paris"}
    assert score(record(said, "unchecked", answers=["Paris"]), "answer")["right"]
    assert score(record({**said, "answer": "REFUTES"}, "unchecked", label="REFUTES"), "label")["right"]
    drafted = {"original": "So the answer is: Paris.", "text": "So the answer is: Paris."}
    assert score(record(drafted, "unchecked", answers=["Paris"]), "answer")["right"] is None


def run(right: list[bool], before: list[bool] | None = None) -> list[Any]:
    rows = []
    for number, is_right in enumerate(right):
        draft = "yes" if (before or right)[number] else "no"
        said = {"original": draft, "text": "yes" if is_right else "no"}
        rows.append(score(record(said, id=number, question="<b>Who?</b>", answers=["yes"]), "answer"))
    return rows


def test_figures_and_flips_of_a_run() -> None:
    found = figures("critic_qa", run([True, True, False, False], before=[True, False, True, False]))
    assert found["means"]["right"].mean == 0.5
    assert found["flips"] == {"stayed right": 1, "wrong to right": 1, "right to wrong": 1, "stayed wrong": 1}
    assert found["usage"]["calls per row"] == 2


def test_how_many_were_right_after_each_round(tmp_path: Path) -> None:
    on_the_way = [["yes"], ["no", "no", "yes"], [], ["no"]]
    scored = []
    for number, answers in enumerate(on_the_way):
        said = {"original": "no", "text": ["no", *answers][-1], "answer": ["no", *answers][-1], "answers": answers}
        scored.append(score(record(said, id=number, answers=["yes"]), "answer"))
    found = figures("critic_qa", scored)
    assert found["rounds"] == [0, 0.25, 0.25, 0.5]
    assert found["rounds"][-1] == found["means"]["right"].mean
    without = figures("cot", run([True]))
    assert figures("critic_qa", scored[2:3])["rounds"] == without["rounds"] == []
    cells = dict(rows([found, without]))
    assert cells["right as drafted"] == ["0.000", "-"]
    assert cells["right after 1 round"] == ["0.250", "-"]
    assert cells["right after 3 rounds"] == ["0.500", "-"]
    settings = {"dataset": "x", "data": {"name": "x"}, "limit": 0, "seed": 0, "model": "x", "versions": {}}
    page = render(Ran([found, without], {"critic_qa": scored, "cot": run([True])}, settings, []))
    assert "Right after at most so many rounds of correction" in page
    assert page.count("<polyline") == 1


def test_two_runs_compared_on_a_known_case() -> None:
    """30 of 100 rows turn right and 10 turn wrong: +0.2, with a standard error of 0.06."""
    before = [False] * 30 + [True] * 10 + [True] * 20 + [False] * 40
    after = [True] * 30 + [False] * 10 + [True] * 20 + [False] * 40
    found = compare(run(before), run(after))
    mine, theirs, difference = found["differences"]["right"]
    assert (mine, theirs, found["rows"]) == (0.3, 0.5, 100)
    assert difference.mean == pytest.approx(0.2)
    assert difference.low == pytest.approx(0.08, abs=0.02)
    assert difference.high == pytest.approx(0.32, abs=0.02)
    assert found["flips"] == {"stayed right": 20, "wrong to right": 30, "right to wrong": 10, "stayed wrong": 40}


def test_rows_that_only_one_run_has_are_left_out_of_a_comparison() -> None:
    assert compare(run([True] * 3), run([True] * 2))["rows"] == 2
    assert compare([], run([True]))["differences"] == {}


def test_confidence_comes_from_the_sampled_paths() -> None:
    paths = [{"answer": "yes", "answer_logprob": -0.5}, {"answer": "yes", "answer_logprob": -0.2}]
    paths += [{"answer": "no", "answer_logprob": -0.1}]
    said = {"original": "yes", "text": "yes", "answer": "yes", "original_answer": "yes", "paths": paths}
    scored = score(record(said, answers=["yes"]), "answer")
    assert scored["confidence"] == -0.2
    assert figures("verify_and_edit", [scored])["more"]["accuracy-coverage AUC"] == 100


def test_the_report_escapes_what_it_shows_and_loads_nothing(tmp_path: Path) -> None:
    scores = {"critic_qa": run([True, False], before=[False, True]), "cot": run([True, True])}
    settings = {
        "dataset": "hotpotqa",
        "data": {"name": "<img src=x>.json"},
        "limit": 2,
        "seed": 0,
        "model": "a<b>",
        "versions": {"python": "3"},
    }
    page = render(Ran([figures(name, rows) for name, rows in scores.items()], scores, settings, []))
    assert "<b>Who?</b>" not in page
    assert "&lt;b&gt;Who?&lt;/b&gt;" in page
    assert "<img" not in page
    assert "<script" not in page
    assert "http" not in page.replace("http-equiv", "")
    assert page.count("<svg") == 3
    assert "Right to wrong" in page


def test_a_claim_by_refcheckers_strict_label() -> None:
    assert label_of({"strict": "contradiction", "text": "x", "verdicts": []}) == "REFUTES"
    assert label_of({"strict": "neutral", "text": "x", "verdicts": []}) == "NOT ENOUGH INFO"


def test_tokens_of_a_row_stand_beside_its_calls() -> None:
    usage = {"llm_calls": 2, "input_tokens": 900, "output_tokens": 30, "cached_tokens": 600}
    scored = [score(record({"text": "yes", "usage": each}, answers=["yes"]), "answer") for each in (usage, NOTHING)]
    cells = dict(rows([figures("cot", scored), figures("react", scored[1:])]))
    assert cells["input tokens per row"] == ["450", "-"]
    assert cells["of these, in the provider's cache"] == ["300", "-"]
    assert cells["output tokens per row"] == ["15", "-"]
