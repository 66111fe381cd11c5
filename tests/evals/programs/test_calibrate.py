"""`errata eval calibrate`: labelled claims in, thresholds beside the judge out, which the backend keeps to."""

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from errata.apps.cli.main import cli
from errata.evals.programs.calibrate import read_labelled
from errata.models import task
from errata.models.judges import load_judge
from errata.models.tasks import TASKS
from errata.state import Context

from ... import judges as networks

WORDS = "tower house high low blue red old fox".split()


def calibrate(*arguments: Any) -> Any:
    return CliRunner().invoke(cli, ["eval", "calibrate", *map(str, arguments)], catch_exceptions=False)


@pytest.fixture
def judge(tmp_path: Path) -> Path:
    return networks.judge(tmp_path / "judge", WORDS, {"low": "high"})


def labelled(path: Path, rows: list[tuple[str, str, str]]) -> Path:
    lines = [json.dumps({"claim": claim, "evidence": evidence, "label": label}) for claim, evidence, label in rows]
    path.write_text("\n".join(lines))
    return path


async def test_thresholds_are_kept_beside_the_judge_and_kept_to(tmp_path: Path, judge: Path) -> None:
    # What it finds contradicted is right, but what it finds supported is wrong half of the time.
    rows = [("The tower is low.", "The tower is high.", "REFUTES")] * 12
    rows += [("The fox is red.", "The red fox is old.", label) for label in ("SUPPORTS", "NOT ENOUGH INFO") * 10]
    ran = calibrate(labelled(tmp_path / "rows.jsonl", rows), "--nli", judge, "--json")
    assert ran.exit_code == 0
    told = json.loads(ran.stdout)["labels"]
    assert told["entailment"]["threshold"] is None
    assert (told["contradiction"]["said"], told["contradiction"]["held_out_precision"]) == (12, None)
    assert "makes entailment right as often as wanted: this judge will never say it" in ran.stderr
    kept = json.loads((judge / "errata.json").read_text())
    assert kept["thresholds"]["entailment"] is None
    assert kept["calibration"]["rows"] == 32

    asked = {"claims": ["The tower is low.", "It is high."], "question": "", "evidence": "The tower is high."}
    reply = await task(Context(nli=str(judge)), TASKS["check"]).ainvoke({**asked, "title": ""})
    assert [one.label for one in reply.judgements] == ["contradiction", "neutral"]


def test_what_else_is_kept_beside_the_judge_stays(tmp_path: Path, judge: Path) -> None:
    (judge / "errata.json").write_text('{"template": "{evidence} So:"}')
    rows = [("The tower is high.", "The tower is high.", "entailment")] * 20
    assert calibrate(labelled(tmp_path / "rows.jsonl", rows), "--nli", judge).exit_code == 0
    notes = load_judge(str(judge), None).notes
    assert notes.template == "{evidence} So:"
    assert notes.thresholds["entailment"] == pytest.approx(0.867, abs=1e-3)


def test_rows_of_foolmetwice_are_read_as_they_are(tmp_path: Path) -> None:
    row = {"text": "It is old.", "label": "REFUTES", "gold_evidence": [{"text": "It "}, {"text": "is new."}]}
    (tmp_path / "rows.jsonl").write_text(json.dumps({**row, "wikipedia_page": "Fox"}))
    (read,) = read_labelled(tmp_path / "rows.jsonl")
    assert (read["evidence"], read["label"], read["title"]) == ("It is new.", "contradiction", "Fox")


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("[1]", "row 1 is not an object"),
        ('{"claim": "It is old.", "label": "neutral"}', "row 1 needs a `claim` and its `evidence`"),
        ('{"claim": "It is old.", "evidence": "It.", "label": "maybe"}', "row 1 needs a `label`"),
        ("{", "is not JSON"),
        ("", "holds no rows"),
    ],
)
def test_rows_that_cannot_be_read_are_told(tmp_path: Path, judge: Path, line: str, told: str) -> None:
    (tmp_path / "rows.jsonl").write_text(line)
    ran = CliRunner().invoke(cli, ["eval", "calibrate", str(tmp_path / "rows.jsonl"), "--nli", str(judge)])
    assert ran.exit_code != 0
    assert told in f"{ran.stderr}{ran.exception}"
