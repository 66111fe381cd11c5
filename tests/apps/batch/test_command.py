"""`errata batch` from the command line, with methods that need no model."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from errata.apps.batch.journal import Journal

from ...conftest import Errata
from ...pages import blocks

EIFFEL = {"id": "eiffel", "text": "The Eiffel Tower was completed in 1899.", "note": "kept"}


@pytest.fixture
def errata(errata: Errata, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Errata:
    """The command line, in an empty folder."""
    monkeypatch.chdir(tmp_path)
    return errata


def rows(*lines: object) -> str:
    Path("in.jsonl").write_text("".join(line if isinstance(line, str) else json.dumps(line) + "\n" for line in lines))
    return "in.jsonl"


def test_corrects_every_row_and_carries_the_rest_through(errata: Errata) -> None:
    code, out, err = errata(
        "batch", "rarr", rows(EIFFEL, {"text": "Mount Everest is 8,849 metres high."}), "-o", "out.jsonl"
    )
    assert (code, out) == (0, "")
    assert "2 rows: 2 done (1 corrected, 1 checked) · " in err
    found = {record["line"]: record for record in map(json.loads, Path("out.jsonl").read_text().splitlines())}
    assert found[1]["text"] == "The Eiffel Tower was completed in 1889."
    assert (found[1]["id"], found[1]["row"]) == ("eiffel", EIFFEL)
    assert found[2]["id"] == 2


def test_a_row_that_cannot_be_run_is_told_of_in_the_end(errata: Errata) -> None:
    code, out, err = errata("batch", "rarr", rows(EIFFEL, "{torn\n"), "-o", "out.jsonl", "--json")
    assert code == 1
    found = json.loads(out)
    assert (found["done"], found["malformed"], found["left"]) == (1, 1, 0)
    assert "not a JSON object" in err
    assert "line 1 column" not in err


@pytest.mark.parametrize("name", ["critic_toxicity", "critic_program"])
def test_any_method_by_its_name(errata: Errata, name: str) -> None:
    row = {"text": "answer = 2 + 2", "question": "What is 2 + 2?"}
    code, _, err = errata("batch", name, rows(row), "-o", "out.jsonl", "--rounds", "0")
    assert code == 0, err
    assert json.loads(Path("out.jsonl").read_text())["answer"] is not None


@pytest.mark.parametrize("content", ["", "\n\n"])
def test_an_input_without_rows_is_refused(errata: Errata, content: str) -> None:
    code, _, err = errata("batch", "rarr", rows(content), "-o", "out.jsonl")
    assert (code, err) == (2, "errata: in.jsonl holds no rows: write a JSON object in each line\n")
    assert not Path("out.jsonl").exists()


def test_what_cannot_work_is_one_line_before_anything_is_written(errata: Errata) -> None:
    source = rows(EIFFEL)
    for arguments, said in {
        ("nothing", source, "-o", "out"): "there is no method `nothing`",
        ("rarr", "none.jsonl", "-o", "out"): "there is no file none.jsonl",
        ("rarr", source, "-o", source): "is the input",
        ("rarr", source, "-o", "no/such/folder"): "name a file in a folder that exists",
        ("rarr", source, "-o", "/dev/full"): "is a device or a pipe",
        ("rarr", source, "-o", "-"): "cannot be standard output",
        ("rarr", source, "-o", "out", "--no-tools"): "`rarr` does not read --no-tools",
        ("rarr", source, "-o", "out", "--set", "editor_model=here"): "goes with --method purr",
        ("rarr", source, "-o", "out", "--max-cost", "1"): "needs the prices",
        ("rarr", source, "-o", "out", "--set", "review=true"): "nobody can review",
        ("rarr", source, "-o", "out", "--processes", "0"): "0 is not in the range",
        ("rarr", source, "-o", "out", "--processes", "32"): "raise `max_concurrency`",
        ("rarr", source, "-o", "out", "--processes", "2", "--engine", "ray"): "Ray starts its own processes",
        ("rarr", source, "-o", "out", "--backend", "agreement=magic"): "magic",
        ("llm_augmenter", source, "-o", "out", "--draft", "cot"): "does not read --draft",
    }.items():
        code, _, err = errata("batch", *arguments)
        assert (code, said in err, len(err.splitlines())) == (2, True, 1), err
        assert not Path("out").exists()
    assert [path.name for path in Path().iterdir()] == [source]
    assert Path(source).read_text() == json.dumps(EIFFEL) + "\n"


def test_a_refused_batch_leaves_nothing_beside_a_file_of_somebody_else(errata: Errata) -> None:
    Path("mine.jsonl").write_text("my diary\n")
    code, _, err = errata("batch", "rarr", rows(EIFFEL), "-o", "mine.jsonl")
    assert (code, "no journal says what made it" in err) == (2, True)
    assert {path.name for path in Path().iterdir()} == {"in.jsonl", "mine.jsonl"}


def test_rows_that_can_never_run_are_not_to_be_retried(errata: Errata) -> None:
    code, _, err = errata("batch", "rarr", rows("{torn\n", {"text": " "}, EIFFEL), "-o", "out.jsonl")
    assert code == 1
    assert "3 rows: 1 done (1 corrected) · 2 malformed" in err
    assert "1 × `text` is empty" in err
    assert "Append the corrected rows to the end of the input" in err
    assert "--retry-failed" not in err
    _, _, err = errata("batch", "rarr", "in.jsonl", "-o", "out.jsonl", "--retry-failed")
    assert "--retry-failed runs no malformed rows" in err


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("text,question\nOne.,Two?\n", 'what looks like CSV: write one object a line, as in {"text": "..."}'),
        ('"id"\t"text"\n1\tOne.\n', "what looks like CSV"),
        ("text\nOne.\n", "what looks like CSV"),
        ('[{"text": "One."}]\n', "not a JSON object but a JSON array: write one object a line"),
        ('[\n{"text": "One."}\n]\n', "not a JSON object but a JSON array: write one object a line"),
        ('"One, two."\n', "not a JSON object: it is a str"),
    ],
)
def test_another_kind_of_file_is_recognised_by_its_first_line(errata: Errata, content: str, said: str) -> None:
    code, _, err = errata("batch", "rarr", rows(content), "-o", "out.jsonl")
    assert (code > 0, said in err) == (True, True), err


def test_reasons_say_where_and_show_that_they_were_cut(errata: Errata) -> None:
    long = '{"text": ' + "x" * 300 + "}\n"
    _, _, err = errata("batch", "rarr", rows(EIFFEL, '{"text": "a\x01b"}\n', long), "-o", "out.jsonl")
    assert "Invalid control character at character 12" in err
    (cut,) = (line for line in err.splitlines() if "xxx" in line)
    assert "x… (line 3)" in cut
    (record,) = (each for each in map(json.loads, Path("out.jsonl").read_text().splitlines()) if each["line"] == 3)
    assert record["error"].endswith("x…")


def test_a_last_line_that_is_still_being_written_is_run_when_it_is_whole(errata: Errata) -> None:
    whole = json.dumps({"text": "Mount Everest is 8,849 metres high."})
    code, _, err = errata("batch", "rarr", rows(EIFFEL, whole[:20]), "-o", "out.jsonl")
    assert code == 1
    assert "1 left, whose line is cut off" in err
    assert len(Path("out.jsonl").read_text().splitlines()) == 1
    code, _, err = errata("batch", "rarr", rows(EIFFEL, whole), "-o", "out.jsonl")
    assert code == 0, err
    assert [json.loads(line)["line"] for line in Path("out.jsonl").read_text().splitlines()] == [1, 2]


def test_one_is_counted_as_one(errata: Errata) -> None:
    err = errata("batch", "rarr", rows(EIFFEL), "-o", "out.jsonl")[2]
    assert err.splitlines()[-1].startswith("1 row: 1 done (1 corrected) · 0 model calls")


def test_a_second_run_is_refused_and_named(errata: Errata) -> None:
    source = rows(EIFFEL)
    first = Journal(Path("out.jsonl"))
    first.begin("rarr", {}, Path(source))
    code, _, err = errata("batch", "rarr", source, "-o", "out.jsonl")
    first.close()
    assert code == 2
    assert f"written by process {os.getpid()}" in err


def test_documents_that_cannot_be_read_are_named_once(errata: Errata) -> None:
    Path("docs").mkdir()
    Path("docs/a.txt").write_text("The Eiffel Tower was completed in 1889.")
    Path("docs/c.pdf").write_text("%PDF-1.4 broken")
    code, out, err = errata("batch", "rarr", rows(EIFFEL, EIFFEL), "-o", "out.jsonl", "--sources", "docs", "--json")
    assert code == 0, err
    assert err.count("skipped c.pdf: broken PDF") == 1
    (skipped,) = json.loads(out)["skipped"]
    assert (skipped["path"], "broken PDF" in skipped["reason"]) == ("c.pdf", True)


def test_statuses_are_counted_over_all_runs_of_a_batch(errata: Errata) -> None:
    unknown = {"text": "The Zorb was invented in 1950."}
    errata("batch", "rarr", rows(EIFFEL, unknown), "-o", "out.jsonl")
    code, out, err = errata("batch", "rarr", rows(EIFFEL, unknown, EIFFEL), "-o", "out.jsonl", "--json")
    assert code == 0, err
    assert "3 rows: 3 done (2 corrected, 1 not checked) · " in err
    found = json.loads(out)
    assert (found["new"], found["statuses"]) == (1, {"corrected": 2, "not checked": 1})


def test_where_little_was_searched_more_is_suggested(errata: Errata) -> None:
    source, hint = rows({"text": "The Zorb was invented in 1950."}), "To search your own, add --sources FOLDER"
    assert hint in errata("batch", "rarr", source, "-o", "out.jsonl")[2]
    Path("docs").mkdir()
    Path("docs/a.txt").write_text("The Eiffel Tower was completed in 1889.")
    assert hint not in errata("batch", "rarr", source, "-o", "other.jsonl", "--sources", "docs")[2]


def test_what_one_stage_leaves_open_is_the_input_of_the_next(errata: Errata) -> None:
    (program,) = (block.code for block in blocks() if block.mark == "as: left_open.py")
    half = {"text": EIFFEL["text"] + " It is beautiful.", "group": 7}
    errata("batch", "rarr", rows(EIFFEL, half, "not json\n"), "-o", "screened.jsonl")
    with Path("screened.jsonl").open() as screened, Path("rest.jsonl").open("w") as rest:
        subprocess.run([sys.executable, "-c", program], stdin=screened, stdout=rest, check=True)
    text = "The Eiffel Tower was completed in 1889. It is beautiful."
    assert json.loads(Path("rest.jsonl").read_text()) == {"id": 2, "text": text, "group": 7}
    code, _, err = errata("batch", "rarr", "rest.jsonl", "-o", "checked.jsonl")
    assert (code, "1 row: 1 done" in err) == (0, True), err
