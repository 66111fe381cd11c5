"""Human annotations in the public format, and how well a machine agrees with them, against figures made by hand."""

import json
from pathlib import Path
from typing import Any

import pytest

from errata.evals.programs.refchecker import figures, pairs, read_checked, read_file

from ...conftest import Errata


def claims(*labels: str, machine: str = "") -> list[dict[str, Any]]:
    said = {"e": "Entailment", "n": "Neutral", "c": "Contradiction"}
    found: list[dict[str, Any]] = [{"triplet": ["a", "b", "c"], "human_label": said[label]} for label in labels]
    for claim, label in zip(found, machine, strict=False):
        claim["label"] = said[label]
    return found


def annotated(folder: Path, name: str, *given: list[dict[str, Any]], lines: bool = False) -> Path:
    rows = [{"id": f"r{n}", "response": "x", "claude2_response_kg": one} for n, one in enumerate(given)]
    file = folder / f"{name}.json"
    file.write_text("\n".join(map(json.dumps, rows)) if lines else json.dumps(rows), encoding="utf-8")
    return file


@pytest.mark.parametrize("lines", [False, True])
def test_the_macro_table_averages_responses_not_claims(errata: Errata, tmp_path: Path, lines: bool) -> None:
    one = annotated(tmp_path, "zero_gpt", claims("e", "e", "n", "c"), claims("n"), [], lines=lines)
    two = annotated(tmp_path, "zero_other", claims("e"), lines=lines)
    found = json.loads(errata("eval", "annotations", one, two, "--json")[1])
    assert found["groups"]["zero_gpt"] == {
        "responses": 3,
        "entailment": 0.25,
        "neutral": 0.625,
        "contradiction": 0.125,
        "abstention": pytest.approx(1 / 3),
        "factual": 0.0,
        "errors": 0,
    }
    assert found["groups"]["zero_other"]["factual"] == 1.0
    assert found["agreement"] is None
    drawn = tmp_path / "picture.svg"
    code, out, _ = errata("eval", "annotations", one, two, "--picture", drawn)
    assert (code, "zero_gpt" in out) == (0, True)
    assert "zero_other" in drawn.read_text(encoding="utf-8")


def test_agreement_with_labels_in_the_same_file(tmp_path: Path) -> None:
    given = [claims("e", "e", machine="ee"), claims("e", "n", machine="ee")]
    given += [claims("n", "n", machine="cn"), claims("e", machine="n")]
    responses = read_file(annotated(tmp_path, "x", *given), "label")
    found = figures(pairs(responses, {}))
    # factual by people: 1 0 0 1; by the machine: 1 1 0 0
    assert (found["n"], found["accuracy"], found["f1_factual"], found["f1_not_factual"]) == (4, 0.5, 0.5, 0.5)
    # supported by people: 1, 0.5, 0, 1; by the machine: 1, 1, 0, 0
    assert found["pearson"] == pytest.approx(0.3015, abs=1e-4)
    assert found["spearman"] == pytest.approx(0.2357, abs=1e-4)


def test_agreement_with_what_errata_check_wrote(errata: Errata, tmp_path: Path) -> None:
    file = annotated(tmp_path, "gpt", claims("e"), claims("n"), claims("c"), [])
    shares = {"neutral": 0.0, "contradiction": 0.0, "abstain": 0.0}
    rows = [
        {"id": "r0", "row": {"group": "gpt"}, "errors": 0, "distribution": {"entailment": 1.0, **shares}},
        {
            "id": "r1",
            "row": {"group": "gpt"},
            "errors": 0,
            "distribution": {**shares, "entailment": 0.0, "neutral": 1.0},
        },
        {"id": "r2", "row": {"group": "gpt"}, "errors": 1, "distribution": {"entailment": 1.0, **shares}},
        {"id": "r3", "row": {"group": "gpt"}, "error": "down"},
    ]
    checked = tmp_path / "checked.jsonl"
    checked.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    assert list(read_checked(checked)) == [("gpt", "r0"), ("gpt", "r1")]
    agreement = json.loads(errata("eval", "annotations", file, "--checked", checked, "--json")[1])["agreement"]
    assert (agreement["n"], agreement["accuracy"], agreement["pearson"]) == (2, 1.0, pytest.approx(1.0))


def test_files_of_one_setting_share_their_ids(errata: Errata, tmp_path: Path) -> None:
    files = [annotated(tmp_path, name, claims("e")) for name in ("one", "two")]
    checked = tmp_path / "checked.jsonl"
    row = {"id": "r0", "row": {"group": ""}, "errors": 0, "distribution": {"entailment": 1.0, "abstain": 0.0}}
    checked.write_text(json.dumps(row), encoding="utf-8")
    code, _, err = errata("eval", "annotations", *files, "--checked", checked)
    assert (code, "`group`" in err) == (2, True)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("nothing", "not JSON"),
        ("[1]", "response 1 has no"),
        ('[{"id": 1}]', "response 1 has no"),
        ('[{"id": 1, "claude2_response_kg": [{"human_label": "Perhaps"}]}]', "Perhaps"),
        (
            '[{"id": 1, "claude2_response_kg": [{"human_label": "Neutral", "label": "Neutral"}, '
            '{"human_label": "Neutral"}]}]',
            "only some",
        ),
    ],
)
def test_what_is_no_such_file_is_named(errata: Errata, tmp_path: Path, content: str, said: str) -> None:
    file = tmp_path / "bad.json"
    file.write_text(content, encoding="utf-8")
    code, out, err = errata("eval", "annotations", file)
    assert (code, out) == (2, "")
    assert "bad.json" in err
    assert said in err
    assert errata("eval", "annotations", tmp_path / "missing.json")[0] == 2
