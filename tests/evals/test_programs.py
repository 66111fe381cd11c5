"""What the measuring programs print, wherever that goes, and how they end."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from errata.evals.command import MEASURED
from errata.graphs import METHODS

from ..conftest import Errata

ANNOTATED = [{"id": "a", "claude2_response_kg": [{"triplet": ["a", "b", "c"], "human_label": "Entailment"}]}]


def annotated(folder: Path, name: str = "gpt") -> Path:
    file = folder / f"{name}.json"
    file.write_text(json.dumps(ANNOTATED), encoding="utf-8")
    return file


@pytest.mark.parametrize("program", ["agreement", "consistency", "kf1", "toxicity"])
def test_data_that_cannot_be_read_is_one_line_and_exit_code_2(errata: Errata, tmp_path: Path, program: str) -> None:
    code, out, err = errata("eval", program, tmp_path / "none.jsonl")
    assert (code, out) == (2, "")
    assert err == f"errata: there is no file {tmp_path}/none.jsonl\n"
    (tmp_path / "empty.jsonl").touch()
    code, out, err = errata("eval", program, tmp_path / "empty.jsonl")
    assert (code, out, len(err.splitlines())) == (2, "", 1)
    (tmp_path / "binary.jsonl").write_bytes(b"\xff\xfe{}")
    code, out, err = errata("eval", program, tmp_path / "binary.jsonl")
    assert (code, out, err) == (2, "", f"errata: cannot read {tmp_path}/binary.jsonl: it is not UTF-8\n")
    assert errata("eval", program, "--help")[0] == 0
    code, _, err = errata("eval", program, "--nonsense")
    assert (code, len(err.splitlines())) == (2, 1)


def test_no_measuring_command_takes_the_name_of_a_method(errata: Errata) -> None:
    """`errata eval refchecker DATASET` runs the method."""
    assert not set(MEASURED) & set(METHODS)
    assert all(f"\n  {name} " in errata("eval", "--help")[1] for name in MEASURED)


def test_a_setting_that_cannot_be_is_one_line_too(errata: Errata) -> None:
    code, _, err = errata("eval", "kf1", "--set", "utility_threshold=many")
    assert (code, err.startswith("errata: setting `utility_threshold`"), len(err.splitlines())) == (2, True, 1)


@pytest.mark.parametrize("row", [{"question": "Who?"}, {"history": [], "question": "Who?", "knowledge": "no list"}])
def test_a_row_of_another_kind(errata: Errata, tmp_path: Path, row: object) -> None:
    (tmp_path / "rows.jsonl").write_text(json.dumps(row))
    code, _, err = errata("eval", "kf1", tmp_path / "rows.jsonl")
    assert (code, "line 1 is not a valid row" in err, len(err.splitlines())) == (2, True, 1)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "it holds no rows"),
        ('{"text": "a", "label": "SUPPORTS"}', "line 1 is not a FoolMeTwice row, which has `text`, `gold_evidence`"),
        ("[1, 2]", "line 1 is not a FoolMeTwice row"),
        ('{"text": "a", "gold_evidence": [{"text": 1}], "label": "SUPPORTS"}', "line 1 is not a FoolMeTwice row"),
    ],
)
def test_claims_that_cannot_be_measured(errata: Errata, tmp_path: Path, text: str, said: str) -> None:
    (tmp_path / "claims.jsonl").write_text(text)
    code, out, err = errata("eval", "agreement", tmp_path / "claims.jsonl")
    assert (code, out, said in err, "Error" in err, len(err.splitlines())) == (2, "", True, False, 1)


def test_what_a_terminal_would_obey_is_shown_as_a_symbol(errata: Errata, tmp_path: Path) -> None:
    code, out, _ = errata("eval", "annotations", annotated(tmp_path, "g\x1b[2Jpt"))
    assert code == 0
    assert ("g␛[2Jpt" in out, "\x1b" in out) == (True, False)


def test_a_console_without_columns_and_one_that_is_closed(tmp_path: Path) -> None:
    file = annotated(tmp_path)
    script = "import sys; from errata.apps.cli.start import main; sys.argv[0] = 'errata'; main()"
    program = f'{sys.executable} -c "{script}" eval annotations {file}'

    def left(line: str) -> "subprocess.CompletedProcess[str]":
        known = {**os.environ, "COLUMNS": "0"}
        return subprocess.run(["bash", "-c", line], capture_output=True, text=True, env=known, timeout=120)

    shown = left(program)
    assert (shown.returncode, shown.stderr) == (0, "")
    assert "100 %" in shown.stdout
    assert (left(f"{program} >&-").returncode, left(f"{program} >&-").stderr) == (0, "")
    full = left(f"{program} >/dev/full")
    assert full.returncode == 1
    assert full.stderr == "errata: standard output cannot be written: No space left on device\n"


CLAIM = {
    "text": "The Tay Bridge opened in 1885.",
    "label": "REFUTES",
    "gold_evidence": [{"text": "The Tay Bridge opened in 1887."}],
}


@pytest.mark.parametrize("task", ["agreement", "check"])
def test_claims_are_judged_by_whom_the_options_name(errata: Errata, tmp_path: Path, task: str) -> None:
    (tmp_path / "claims.jsonl").write_text(json.dumps(CLAIM))
    command = ("eval", "agreement", tmp_path / "claims.jsonl", "--task", task, "--json")
    by_rules = json.loads(errata(*command)[1])
    assert (by_rules["n"], by_rules["confusion"]["contradiction"]["contradiction"]) == (1, 1)
    nobody = ("--model", "openai:any", "--base-url", "http://127.0.0.1:9/v1", "--set", "retries=0")
    out = errata(*command, *nobody)[1]
    assert (json.loads(out)["failed"], json.loads(out)["decided"]) == (1, 0)
