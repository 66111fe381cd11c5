"""LLM-Augmenter measured on dialogues, with a model on the loopback interface."""

import json
from pathlib import Path
from typing import Any

import pytest

from benchmarks import scripted_augmenter
from benchmarks.stub import Stub
from errata.evals.programs import kf1

from ..conftest import Errata

TOWER = "Tower 7 was built by Mason 7, born in Port 7."
KF1 = ("eval", "kf1", "--model", "openai:stub")
ROWS: list[dict[str, Any]] = [
    {"history": [], "question": scripted_augmenter.message(7, 2), "knowledge": [TOWER], "response": TOWER},
    {"history": [], "question": scripted_augmenter.message(8, 1), "knowledge": ["Tower 8 was built by Mason 8."]},
]


def written(rows: list[dict[str, Any]], folder: Path) -> Path:
    path = folder / "dialogues.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def test_feedback_and_gold_knowledge_are_worth_something(errata: Errata, tmp_path: Path) -> None:
    with Stub(scripted_augmenter.brain, 0, lambda path: None, 0) as stub:
        code, out, err = errata(*KF1, written(ROWS, tmp_path), "--base-url", stub.base_url, "--json")
    assert code == 0, err
    found = {each["arm"]: each for each in json.loads(out)}
    assert list(found) == list(kf1.ARMS)
    assert found["gold knowledge"]["kf1"] < found["gold knowledge + feedback"]["kf1"]
    # One row has a response of a person: the second response to it is the same to the letter.
    assert found["gold knowledge + feedback"]["bleu"] == pytest.approx(100)
    assert found["gold knowledge"]["bleu"] < 10


def test_a_table_for_people(errata: Errata, tmp_path: Path) -> None:
    with Stub(scripted_augmenter.brain, 0, lambda path: None, 0) as stub:
        data = written(ROWS[1:], tmp_path)
        _, out, _ = errata(*KF1, data, "--base-url", stub.base_url, "--arm", "gold knowledge")
    assert "gold knowledge" in out
    assert "BLEU" in out
    assert "people" not in out
