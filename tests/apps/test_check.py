"""`errata check` as a person meets it: what it prints, what it refuses, and the exit codes."""

import io
import json
import sys
import xml.etree.ElementTree as ElementTree
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from errata.apps.cli.claims import bar, coloured, show_claims
from errata.apps.cli.macro import Sums, picture

from ..conftest import Errata

TOWER = "The Eiffel Tower was completed in 1899 and stands in Paris."
ROW = b'{"response": "x"}'
KNOWN = "The Eiffel Tower was completed in 1889. The Eiffel Tower stands in Paris."


@pytest.fixture
def errata(errata: Errata, monkeypatch: pytest.MonkeyPatch) -> Errata:
    """Run `errata check`."""
    monkeypatch.setenv("COLUMNS", "160")
    return partial(errata, "check")


@pytest.fixture
def known(tmp_path: Path) -> str:
    file = tmp_path / "known.txt"
    file.write_text(KNOWN, encoding="utf-8")
    return str(file)


def test_it_marks_the_response_and_names_what_decided(errata: Errata, known: str) -> None:
    code, out, err = errata(TOWER, "--sources", known)
    assert code == 3, "a script wants to know of a contradiction"
    assert "completed in [1✗ 1899] and stands in [2✓ Paris]." in out
    assert "✗ contradiction  rules    The Eiffel Tower was completed in 1889." in out
    assert "contradiction  50 %  ▓▓▓▓" in out
    assert "worst label: contradiction   most common label: contradiction (the worse of equally many)" in out
    assert "extract 2 claims" in err


def test_a_reason_is_shown_beside_the_quote(errata: Errata, known: str) -> None:
    result = json.loads(errata(TOWER, "--sources", known, "--json")[1])
    result["claims"][0]["reason"] = "The years differ."
    printed = io.StringIO()
    show_claims(Console(file=printed, width=160), result)
    lines = printed.getvalue().splitlines()
    first = next(number for number, line in enumerate(lines) if "The years differ." in line)
    assert lines[first + 1].strip() == "The Eiffel Tower was completed in 1889."


def test_json_is_one_object_with_the_whole_result(errata: Errata, known: str) -> None:
    code, out, _ = errata(TOWER, "--sources", known, "--json")
    result = json.loads(out)
    assert code == 3
    assert [claim["label"] for claim in result["claims"]] == ["contradiction", "entailment"]
    assert {piece["source"] for piece in result["evidence"]} == {known}
    assert result["distribution"]["contradiction"] == 0.5


def test_references_of_many_kinds_and_none(errata: Errata, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    page.write_text(f"<html><head><title>Towers</title></head><body><p>{KNOWN}</p></body></html>")
    result = json.loads(errata(TOWER, "--sources", str(page), "--json")[1])
    assert [claim["label"] for claim in result["claims"]] == ["contradiction", "entailment"]
    assert result["evidence"][0]["title"] == "Towers"
    searched = json.loads(errata(TOWER, "--json")[1])
    assert [claim["label"] for claim in searched["claims"]] == ["contradiction", "entailment"]
    assert searched["usage"]["searches"] == 1


def test_a_report(errata: Errata, known: str, tmp_path: Path) -> None:
    report = tmp_path / "report.html"
    code, _, err = errata(TOWER, "--sources", known, "--report", str(report))
    assert (code, str(report) in err) == (3, True)
    assert "1 claim contradicted, 0 unsupported" in report.read_text(encoding="utf-8")


def rows(tmp_path: Path, *given: Any) -> str:
    file = tmp_path / "rows.jsonl"
    file.write_bytes(b"\n".join(row if isinstance(row, bytes) else json.dumps(row).encode() for row in given))
    return str(file)


def test_many(errata: Errata, tmp_path: Path) -> None:
    file = rows(
        tmp_path,
        {"id": "a", "response": TOWER, "references": [KNOWN], "group": "one"},
        {
            "response": "I do not know.",
            "question": "When?",
            "references": [{"text": KNOWN, "title": "x"}],
            "group": "one",
        },
        {"id": 3, "response": "The Eiffel Tower stands in Paris.", "references": [KNOWN], "group": "two <b>"},
    )
    drawn, taken = tmp_path / "p.svg", tmp_path / "taken.jsonl"
    code, out, err = errata(file, "-o", str(taken), "--picture", str(drawn))
    assert code == 0
    found = [json.loads(line) for line in taken.read_text(encoding="utf-8").splitlines()]
    assert [(row["line"], row["id"], row["strict"]) for row in found] == [
        (1, "a", "contradiction"),
        (2, 2, "abstain"),
        (3, 3, "entailment"),
    ]
    assert "one      2     50 %      0 %      50 %       0%      50%       0" in out
    assert "two <b>  1    100 %      0 %       0 %     100%       0%       0" in out
    svg = ElementTree.fromstring(drawn.read_text(encoding="utf-8"))
    assert "two <b>" in "".join(svg.itertext())

    code, out, err = errata(file, "-o", "-")
    assert [json.loads(line)["id"] for line in out.splitlines()] == ["a", 2, 3]
    assert "two <b>" in err


def test_rows_that_cannot_be_read_are_named_and_the_others_go_on(errata: Errata, tmp_path: Path) -> None:
    deep = b"[" * 100_000
    bad = [b"{", b"\xff\xfe", b"[]", b"null", deep, {"id": "x"}, {"response": 1}, {"response": "x", "references": "x"}]
    bad += [{"response": "x", "references": [1]}, {"response": "x", "references": [" "]}]
    file = rows(tmp_path, *bad, b"", {"id": "last", "response": TOWER, "references": [KNOWN]})
    code, out, err = errata(file, "-o", "-")
    found = [json.loads(line) for line in out.splitlines()]
    assert code == 1
    assert [row["line"] for row in found] == [*range(1, 11), 12]
    assert all(row["error"] for row in found[:10])
    assert all(f"line {number}: " in err for number in range(1, 11))
    assert found[-1]["strict"] == "contradiction"
    assert "Traceback" not in err


def test_the_same_command_goes_on_and_only_that(errata: Errata, tmp_path: Path) -> None:
    given = {"id": "a", "response": TOWER, "references": [KNOWN], "group": "one"}
    taken = tmp_path / "taken.jsonl"
    assert errata(rows(tmp_path, given), "-o", str(taken))[0] == 0
    before = taken.read_bytes()
    more = rows(tmp_path, given, {"id": "b", "response": TOWER, "references": [KNOWN], "group": "two"})
    code, out, err = errata(more, "-o", str(taken), "--json")
    assert (code, list(json.loads(out))) == (0, ["one", "two"])
    assert "continuing: 1 of 2 rows finished" in err
    assert taken.read_bytes().startswith(before)
    code, out, err = errata(more, "-o", str(taken), "--set", "claim_format=subsentence")
    assert (code, out) == (2, "")
    assert "made with other settings (claim_format)" in err
    foreign = tmp_path / "notes.txt"
    foreign.write_text("mine")
    assert errata(more, "-o", str(foreign))[0] == 2
    assert foreign.read_text() == "mine"


def test_an_empty_response_is_malformed_and_not_tried_again(errata: Errata, tmp_path: Path) -> None:
    taken = tmp_path / "taken.jsonl"
    good = {"response": TOWER, "references": [KNOWN]}
    file = rows(tmp_path, {"response": "", "references": [KNOWN]}, {"response": " ", "question": "When?"}, good)
    code, _, err = errata(file, "-o", str(taken))
    assert code == 1
    assert "line 1: `response` is empty" in err
    assert "line 2: `response` is empty" in err
    assert "2 malformed" in err
    assert "tries again" not in err


@pytest.mark.parametrize("columns", ["80", "70", "160"])
def test_a_bar_is_scaled_and_never_cut(
    errata: Errata, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, columns: str
) -> None:
    monkeypatch.setenv("COLUMNS", columns)
    group = "a model with a rather long name"
    file = rows(tmp_path, {"response": TOWER, "references": [KNOWN], "group": group})
    out = errata(file, "-o", str(tmp_path / "taken.jsonl"))[1]
    assert abs(out.count("█") - out.count("▓")) <= 1 < out.count("▓")


def test_many_from_a_pipe_to_a_pipe(errata: Errata, monkeypatch: pytest.MonkeyPatch) -> None:
    given = [{"id": number, "response": TOWER, "references": [KNOWN]} for number in range(30)]
    pipe = io.BytesIO(b"\n".join(json.dumps(row).encode() for row in given))
    monkeypatch.setattr(sys, "stdin", type("Input", (), {"buffer": pipe, "isatty": staticmethod(lambda: False)}))
    code, out, err = errata("-", "-o", "-")
    assert code == 0
    assert [json.loads(line)["id"] for line in out.splitlines()] == [*range(30)]
    assert "30 rows: 30 done" in err


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([], "give a response to check"),
        (["  "], "empty"),
        ([TOWER, "--sources", "nothing.txt"], "nothing.txt"),
        ([TOWER, "--sources", "empty.txt"], "no text in it"),
        ([TOWER, "--sources", "binary.bin"], "binary"),
        (["rows.jsonl", "--question", "When?", "-o", "x.jsonl"], "leave out the options for a single response"),
        (["--file", "rows.jsonl", "-o", "x.jsonl"], "with -o, give INPUT.jsonl"),
        ([TOWER, "--picture", "x.svg"], "--picture goes with INPUT.jsonl -o"),
        (["nothing.jsonl", "-o", "x.jsonl"], "there is no file nothing.jsonl"),
        (["rows.jsonl", "-o", "rows.jsonl"], "is the input"),
        (["rows.jsonl", "-o", "no-such-folder/x"], "-o no-such-folder/x"),
        (["rows.jsonl", "-o", "x.jsonl", "--picture", "no-such-folder/x.svg"], "--picture"),
        (["rows.jsonl", "-o", "x.jsonl", "--picture", "bars.png"], "give it a name that ends in .svg"),
        (["rows.jsonl", "-o", "/dev/full"], "is a device or a pipe"),
        (["rows.jsonl", "-o", "x.jsonl", "--model", "openai:x"], "OPENAI_API_KEY"),
        ([TOWER, "--set", "joint_size=0"], "joint_size"),
        ([TOWER, "--set", "claim_format=poem"], "claim_format"),
        ([TOWER, "--backend", "check=cross_encoder"], "`check` has no backend"),
        ([TOWER, "--backend", "check=nli", "--sources", "known.txt"], "`nli`"),
        ([TOWER, "--report", "no-such-folder/x.html"], "--report"),
    ],
)
def test_bad_input_is_one_clear_line_and_exit_code_2(
    errata: Errata, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: Sequence[str], said: str
) -> None:
    monkeypatch.chdir(tmp_path)
    for name, content in {
        "empty.txt": b" ",
        "binary.bin": b"\0\1\2" * 99,
        "rows.jsonl": ROW,
        "known.txt": b"x",
    }.items():
        (tmp_path / name).write_bytes(content)
    code, out, err = errata(*arguments)
    assert (code, out) == (2, "")
    assert said in err.splitlines()[-1]
    assert "Traceback" not in err
    assert (tmp_path / "rows.jsonl").read_bytes() == ROW


def test_where_claims_overlap_the_worst_label_shows() -> None:
    claims: Any = [
        {"start": 0, "end": 9, "label": "entailment"},
        {"start": 4, "end": 9, "label": "contradiction"},
        {"start": 10, "end": 14, "label": "error"},
    ]
    assert coloured("The tower fell.", claims, bracketed=True).plain == "[1✓ The ][1·2✗ tower] [3! fell]."
    assert coloured("The tower fell.", claims, bracketed=False).plain == "The tower fell."


def test_bars_and_pictures_are_as_wide_as_the_shares() -> None:
    third = {"entailment": 1 / 3, "neutral": 1 / 3, "contradiction": 1 / 3, "abstain": 0.0}
    assert len(bar(third, 40).plain) == 40  # type: ignore[arg-type]
    sums = Sums()
    sums.count(third)  # type: ignore[arg-type]
    sums.add(None)
    svg = ElementTree.fromstring(picture({"a\x1b&": sums.average(), "b": Sums().average()}, "Claims"))
    wide = [float(rect.attrib["width"]) for rect in svg.iter("{http://www.w3.org/2000/svg}rect")]
    assert len(wide) == 3 + 3  # a key for each label, and one bar
    assert len(set(wide[3:])) == 1
    assert "n = 2, 1 error" in "".join(svg.itertext())
