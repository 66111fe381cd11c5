"""JSON Lines, with whatever characters their strings hold."""

import json
from pathlib import Path
from typing import Any

import pytest

from errata.evals.datasets import load_items
from errata.evals.lines import json_lines
from errata.evals.programs import agreement, consistency, kf1, refchecker, toxicity

from ..conftest import Errata

ENDS = "one\u2028two\u2029three\u0085four\x0b\x0c\x1c"
"""What `str.splitlines` takes for ends of lines, beside a line feed."""


def written(folder: Path, *rows: Any) -> Path:
    """As `errata` writes it."""
    file = folder / "rows.jsonl"
    file.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")
    return file


def test_a_line_ends_at_a_line_feed_alone() -> None:
    line = json.dumps({"text": ENDS}, ensure_ascii=False)
    assert list(json_lines(f"\n{line}\r\n\n2")) == [(2, {"text": ENDS}), (4, 2)]
    with pytest.raises(ValueError, match="line 2 is not JSON: Expecting"):
        list(json_lines("{}\ntorn"))


def test_every_reader_takes_such_a_text(tmp_path: Path) -> None:
    claim = {"text": ENDS, "label": "SUPPORTS", "gold_evidence": [{"text": "So it is."}]}
    assert [row["claim"] for row in agreement.read_rows(written(tmp_path, claim, claim))] == [ENDS, ENDS]
    assert len(agreement.read_rows(written(tmp_path, claim, claim, claim), "odd")) == 1
    turn = {"history": [], "question": ENDS, "knowledge": []}
    assert [row["question"] for row in kf1.read_rows(written(tmp_path, turn, turn))] == [ENDS, ENDS]
    scored = {"text": ENDS, "toxicity": 0.5}
    prompts = written(tmp_path, *[{"prompt": scored, "continuation": scored}] * 3)
    assert len(toxicity.read_passages(prompts, limit=2)["prompt"]) == 2
    asked = written(tmp_path, {"question": ENDS, "answer": "Ann"}, {"question": "Who?", "answer": "Bo"})
    assert len(consistency.read_rows(asked)) == len(load_items("jsonl", asked)) == 2
    judged = {"id": ENDS, "claude2_response_kg": []}
    assert [found["id"] for found in refchecker.read_file(written(tmp_path, judged, judged), "label")] == [ENDS, ENDS]


def test_two_runs_over_such_texts_are_compared(errata: Errata, tmp_path: Path) -> None:
    scored = {"id": 1, "asked": ENDS, "right": True, "scores": {"right": 1.0}}
    file = written(tmp_path, scored)
    code, out, err = errata("eval", "compare", file, file)
    assert (code, "1 rows of both" in out) == (0, True), err


def test_dialogues_of_dstc11(tmp_path: Path) -> None:
    turns = [
        {"speaker": "U", "text": "A room?"},
        {"speaker": "S", "text": "The Lodge?"},
        {"speaker": "U", "text": "Dogs?"},
    ]
    about = {"domain": "hotel", "entity_id": 3}
    cited = [{**about, "doc_type": "review", "doc_id": 1, "sent_id": 0}, {**about, "doc_type": "faq", "doc_id": 2}]
    labels = [{"target": False}, {"target": True, "knowledge": cited, "response": "Yes."}]
    entity = {"name": "Lodge", "reviews": {"1": {"sentences": {"0": "They love dogs."}}},
              "faqs": {"2": {"question": "Are dogs welcome?", "answer": "They are."}}}  # fmt: skip
    (tmp_path / "val").mkdir()
    told: dict[str, object] = {
        "val/logs": [turns[:1], turns],
        "val/labels": labels,
        "knowledge": {"hotel": {"3": entity}},
    }
    for name, value in told.items():
        (tmp_path / f"{name}.json").write_text(json.dumps(value), "utf-8")
    (row,) = kf1.read_rows(tmp_path / "val")
    assert (row["question"], row["response"], len(row["history"])) == ("Dogs?", "Yes.", 2)
    assert row["knowledge"] == ["Lodge: They love dogs.", "Lodge: Are dogs welcome? They are."]
    (tmp_path / "val" / "labels.json").write_text("[{}, {}]", "utf-8")
    with pytest.raises(ValueError, match="DSTC11"):
        kf1.read_rows(tmp_path / "val")
