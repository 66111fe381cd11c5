"""`errata eval agreement`: labelled claims in, figures out, and the table from which one reads a judge's threshold."""

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from errata.apps.cli.main import cli
from errata.evals.programs.agreement import read_rows

from ... import judges as networks

WORDS = "tower house high low blue red old fox".split()


def measured(*arguments: Any) -> Any:
    return CliRunner().invoke(cli, ["eval", "agreement", *map(str, arguments)], catch_exceptions=False)


@pytest.fixture
def judge(tmp_path: Path) -> Path:
    return networks.judge(tmp_path / "judge", WORDS, {"low": "high"})


@pytest.fixture
def labelled(tmp_path: Path) -> Path:
    """What the judge finds contradicted is right, but what it finds supported is wrong half of the time."""
    rows = [("The tower is low.", "The tower is high.", "REFUTES")] * 12
    rows += [("The fox is red.", "The red fox is old.", label) for label in ("SUPPORTS", "NOT ENOUGH INFO") * 10]
    lines = [json.dumps({"claim": claim, "evidence": evidence, "label": label}) for claim, evidence, label in rows]
    path = tmp_path / "rows.jsonl"
    path.write_text("\n".join(lines))
    return path


def test_the_table_shows_what_each_threshold_comes_to(labelled: Path, judge: Path) -> None:
    ran = measured(labelled, "--thresholds", "--set", f"nli={judge}", "--json")
    assert ran.exit_code == 0
    rows = {(row["threshold"], row["label"]): row for row in json.loads(ran.stdout)}
    lowest = rows[0.5, "contradiction"]
    assert (lowest["given"], lowest["precision"], lowest["recall"]) == (12, 1.0, 1.0)
    assert (rows[0.5, "entailment"]["given"], rows[0.5, "entailment"]["precision"]) == (20, 0.5)
    highest = rows[0.99, "entailment"]
    assert (highest["given"], highest["precision"], highest["recall"]) == (0, None, 0.0)
    given = [row["given"] for (_, label), row in rows.items() if label == "entailment"]
    assert given == sorted(given, reverse=True), "a higher threshold gives a label to fewer"


def test_people_see_it_as_a_table(labelled: Path, judge: Path) -> None:
    ran = measured(labelled, "--thresholds", "--set", f"nli={judge}")
    assert ran.exit_code == 0
    assert "0.97" in ran.stdout
    assert ran.stdout.count("precision") == 2


def test_thresholds_are_a_judge_s(labelled: Path) -> None:
    ran = CliRunner().invoke(cli, ["eval", "agreement", str(labelled), "--thresholds"])
    assert "name it with --set nli=DIR" in str(ran.exception)


def test_neutral_rows_count(labelled: Path, judge: Path) -> None:
    figures = json.loads(measured(labelled, "--set", f"nli={judge}", "--json").stdout)
    assert figures["confusion"]["neutral"]["entailment"] == 10
    assert figures["precision"] == {"entailment": 0.5, "contradiction": 1.0}


def test_rows_of_foolmetwice_are_read_as_they_are(tmp_path: Path) -> None:
    row = {"text": "It is old.", "label": "REFUTES", "gold_evidence": [{"text": "It "}, {"text": "is new."}]}
    (tmp_path / "rows.jsonl").write_text(json.dumps({**row, "wikipedia_page": "Fox"}))
    (read,) = read_rows(tmp_path / "rows.jsonl")
    assert (read["evidence"], read["gold"], read["title"]) == ("It is new.", "contradiction", "Fox")
