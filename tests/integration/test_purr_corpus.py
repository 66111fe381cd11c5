"""`errata purr corpus` with a chat model: no stage of a row is paid for twice."""

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from benchmarks.stub import Ask, Reply, Stub, refusal
from errata.apps.purr.rows import read_rows

from ..conftest import Errata

CLEAN = "The Blue Bridge was opened in 1931."
REPLIES: dict[str, dict[str, Any]] = {
    "queries": {"queries": ["When was the Blue Bridge opened?"]},
    "summarise": {"text": CLEAN},
    "corrupt": {
        "plan": [{"kind": "number", "before": "1931", "after": "1934"}],
        "text": "The Blue Bridge was opened in 1934.",
    },
}


class Teacher:
    """Does every stage, and those named in `down` not."""

    def __init__(self) -> None:
        self.down: set[str] = set()
        self.answered = Counter[str]()

    def __call__(self, ask: Ask) -> str | Reply:
        system = ask.messages[0]["content"]
        stage = next(
            name
            for name, words in (("queries", '"queries"'), ("corrupt", '"plan"'), ("summarise", ""))
            if words in system
        )
        if stage in self.down:
            return refusal(400, "this model is not served here")
        self.answered[stage] += 1
        return json.dumps(REPLIES[stage])


@pytest.fixture
def teacher() -> Iterator[tuple[Stub, Teacher]]:
    teacher = Teacher()
    with Stub(teacher) as stub:
        yield stub, teacher


def test_a_row_goes_on_after_the_stage_that_was_paid_for(
    errata: Errata, teacher: tuple[Stub, Teacher], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-canary")
    stub, model = teacher
    documents = tmp_path / "documents"
    documents.mkdir()
    (documents / "blue.md").write_text(f"---\ntitle: Blue Bridge\n---\n\n{CLEAN} It stands in Paris.")
    questions, rows = tmp_path / "questions.txt", tmp_path / "rows.jsonl"
    questions.write_text("When was the Blue Bridge opened?\nWhat opened in 1931?\n")

    def corpus() -> tuple[int, str, str]:
        options = (
            "--sources",
            documents,
            "--model",
            "openai:stub",
            "--base-url",
            stub.base_url,
            "--backend",
            "rank=rules",
        )
        return errata("purr", "corpus", "--questions", questions, "-o", rows, *options)

    model.down = {"corrupt"}
    code, _, err = corpus()
    assert (code, "2 questions without one" in err) == (0, True), err
    assert model.answered == {"summarise": 2}

    model.down = set()
    code, _, err = corpus()
    assert (code, "2 rows made" in err) == (0, True), err
    assert model.answered == {"summarise": 2, "corrupt": 2, "queries": 2}
    made = read_rows(rows)
    assert [row["text"] for row in made] == [REPLIES["corrupt"]["text"]] * 2

    rows.unlink()
    code, _, err = corpus()
    assert (code, read_rows(rows)) == (0, made), err
    assert model.answered.total() == 6, "the same rows again, and no call"
