"""LLM-Augmenter measured on dialogues, with a model on the loopback interface."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from benchmarks import scripted_augmenter
from benchmarks.stub import Stub
from errata.evals import kf1

TOWER = "Tower 7 was built by Mason 7, born in Port 7."
ROWS = [
    {"history": [], "question": scripted_augmenter.message(7, 2), "knowledge": [TOWER], "response": TOWER},
    {"history": [], "question": scripted_augmenter.message(8, 1), "knowledge": ["Tower 8 was built by Mason 8."]},
]


def run(data: Path, origin: str, *arguments: str) -> Result:
    given = ["--data", str(data), "--model", "openai:stub", "--base-url", f"{origin}/v1", *arguments]
    return CliRunner().invoke(kf1.main, given)


def written(rows: object, folder: Path) -> Path:
    path = folder / "dialogues.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def test_feedback_and_gold_knowledge_are_worth_something(tmp_path: Path) -> None:
    with Stub(scripted_augmenter.brain, 0, lambda path: None, 0) as stub:
        ended = run(written(ROWS, tmp_path), stub.origin, "--json")
    assert ended.exit_code == 0, ended.output
    found = {each["arm"]: each for each in json.loads(ended.stdout)}
    assert list(found) == list(kf1.ARMS)
    assert found["gold knowledge"]["kf1"] < found["gold knowledge + feedback"]["kf1"]
    # One row has a response of a person: the second response to it is the same to the letter.
    assert found["gold knowledge + feedback"]["bleu"] == pytest.approx(100)
    assert found["gold knowledge"]["bleu"] < 10


def test_a_table_for_people(tmp_path: Path) -> None:
    with Stub(scripted_augmenter.brain, 0, lambda path: None, 0) as stub:
        ended = run(written(ROWS[1:], tmp_path), stub.origin, "--arm", "gold knowledge")
    assert "gold knowledge" in ended.stdout
    assert "BLEU" in ended.stdout
    assert "people" not in ended.stdout
