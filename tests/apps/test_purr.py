"""`errata purr`: a training set out of what ships, offline; what is refused, in one line."""

import importlib.util
import json
import resource
import sys
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from langchain_core.runnables import RunnableLambda

from errata.apps.batch.output import DiskError
from errata.apps.cli import main as cli
from errata.apps.purr.corpus import Recipe, make_rows, questions_about
from errata.apps.purr.rows import Rows, read_rows
from errata.models.backends import SEQ2SEQ
from errata.state import Context, replay
from errata.state.errors import ToolError

from ..conftest import Errata
from ..corruptions import restored
from ..fakes import FakeSearch
from ..networks import untrained

HAS_TORCH = all(importlib.util.find_spec(name) for name in (*SEQ2SEQ.packages, "accelerate"))


@pytest.fixture
def errata(errata: Errata) -> Errata:
    """Run `errata purr`."""
    return partial(errata, "purr")


@pytest.fixture
def documents(tmp_path: Path) -> Path:
    folder = tmp_path / "documents"
    folder.mkdir()
    for number, colour in enumerate(["Blue", "Red", "Green", "Old"]):
        said = f"The {colour} Bridge was opened in 193{number}. The {colour} Bridge is {420 + number} metres long."
        (folder / f"{colour}.md").write_text(f"---\ntitle: {colour} Bridge\n---\n\n{said} It stands in Paris.")
    return folder


def test_rows_say_what_was_corrupted_and_clean_ones_stay(errata: Errata, tmp_path: Path) -> None:
    file = tmp_path / "rows.jsonl"
    code, _, err = errata("corpus", "-o", file, "--limit", "60", "--seed", "1")
    assert code == 0
    assert "60 rows made" in err
    rows = read_rows(file)
    assert len({row["id"] for row in rows}) == 60
    clean = [row for row in rows if not row["corruptions"]]
    idle = [row for row in clean if not any(piece["positive"] for piece in row["evidence"])]
    assert 0 < len(idle) < len(clean) < 30
    for row in rows:
        assert restored(row["text"], row["corruptions"]) == row["clean"]
        assert (row["text"] == row["clean"]) == (row in clean)
        assert 1 <= len(row["evidence"]) <= 4
        said = [piece["positive"] for piece in row["evidence"] if row["clean"] in piece["text"]]
        assert not said if row in idle else any(said)
        assert {piece["query"] for piece in row["evidence"]} <= {*row["queries"], row["text"]}
        assert row not in idle or row["source"] not in {piece["source"] for piece in row["evidence"]}
    assert any(not piece["positive"] for row in rows for piece in row["evidence"])
    assert any(row["queries"] for row in rows)


async def test_no_more_is_asked_than_a_limit_needs_and_a_larger_one_goes_on() -> None:
    asked: list[str] = []

    async def ask(given: Any) -> Any:
        asked.append(given["text"])
        if given["text"].endswith("13."):
            return "no questions"
        return {"queries": [f"When was {given['text']}", f"Who made {given['text']}"]}

    context = Context(backends={"queries": RunnableLambda(ask)}, repairs=0)
    texts = [f"It is thing {number}." for number in range(100)]
    few = await questions_about(texts, 3, 0, context)
    assert (len(asked), len(few) >= 3) == (16, True)
    more = await questions_about(texts, 60, 0, context)
    assert (more[: len(few)], len(more) >= 60) == (few, True)
    every = await questions_about(texts, None, 0, context)
    assert len(every) == len(set(every)) == 198, "of one text nothing could be read"


async def test_a_search_that_fails_costs_one_row() -> None:
    def find(query: str) -> list[str]:
        if "Red" in query:
            raise ToolError("no connection")
        return [] if "Green" in query else ["The Blue Bridge was opened in 1931. It is 420 metres long."]

    context = Context(search=FakeSearch(find=find), cache=False)
    seeds = [(f"When was the {colour} Bridge opened?", 0) for colour in ("Blue", "Red", "Green")]
    blue, red, green = [row async for row in make_rows(seeds, ["A bridge."], Recipe(), context)]
    assert isinstance(blue, dict)
    assert blue["clean"] == "The Blue Bridge was opened in 1931."
    assert ("no connection" in str(red), green) == (True, "nothing was found")


def test_what_is_down_ends_it_with_a_line(errata: Errata, documents: Path, tmp_path: Path) -> None:
    questions = tmp_path / "questions.txt"
    questions.write_text("".join(f"Who sang at the moon of Xyzzy {number}?\n" for number in range(40)))
    out = tmp_path / "rows.jsonl"
    code, _, err = errata("corpus", "--questions", questions, "--sources", documents, "-o", out)
    assert code == 1
    assert "32 questions in a row gave no row; run it again to go on (nothing was found)" in err


def test_it_goes_on_where_it_was_and_the_same_seed_gives_the_same(
    errata: Errata, documents: Path, tmp_path: Path
) -> None:
    whole, broken = tmp_path / "whole.jsonl", tmp_path / "broken.jsonl"
    errata("corpus", "--sources", documents, "-o", whole, "--limit", "20")
    errata("corpus", "--sources", documents, "-o", broken, "--limit", "7")
    broken.write_text(broken.read_text() + '{"id": "cut sho')
    code, _, err = errata("corpus", "--sources", documents, "-o", broken, "--limit", "20")
    assert code == 0
    assert "13 rows made" in err
    assert broken.read_text() == whole.read_text()
    assert "0 rows made" in errata("corpus", "--sources", documents, "-o", broken, "--limit", "20")[2]
    other = tmp_path / "other.jsonl"
    errata("corpus", "--sources", documents, "-o", other, "--limit", "20", "--seed", "5")
    assert not {row["id"] for row in read_rows(other)} & {row["id"] for row in read_rows(whole)}


def test_rows_that_are_taken_away_meanwhile_are_no_success(tmp_path: Path) -> None:
    out = tmp_path / "rows.jsonl"
    with pytest.raises(DiskError, match="deleted or replaced while it was written"), Rows(out, {}).growing():
        out.unlink()


@pytest.mark.parametrize(
    "mine",
    [
        '{"id": "mine", "text": "precious"}',
        '{"id": "mine", "text": "precious"',
        '{"id": "mine"}\n{"id": "torn',
        "Buy milk.",
    ],
)
def test_a_file_of_somebody_else_is_left_as_it_is(errata: Errata, tmp_path: Path, mine: str) -> None:
    file = tmp_path / "mine.jsonl"
    file.write_text(mine)
    code, _, err = errata("corpus", "-o", file, "--limit", "2")
    assert (code, len(err.splitlines())) == (2, 1)
    assert file.read_text() == mine
    assert list(tmp_path.iterdir()) == [file]


def test_rows_of_two_recipes_are_not_mixed(errata: Errata, documents: Path, tmp_path: Path) -> None:
    file, held_out = tmp_path / "rows.jsonl", tmp_path / "held.jsonl"
    usual = ("corpus", "--sources", documents, "-o", file)
    assert errata(*usual, "--limit", "3")[0] == 0
    before = file.read_bytes()
    for other, name in {
        ("--evidence", "2"): "evidence",
        ("--sources", tmp_path): "sources",
        ("--set", "sample_temperature=0.5"): "sample_temperature",
        ("--backend", "corrupt=rules"): "backends",
        ("--held-out", held_out): "held_out",
    }.items():
        code, _, err = errata(*usual, "--limit", "3", *other)
        assert code == 2
        assert f"was made with other settings ({name}): use those, or name another output" in err
        assert file.read_bytes() == before
        assert not held_out.exists()
    assert "2 rows made" in errata(*usual, "--limit", "5")[2]
    (tmp_path / "rows.jsonl.recipe").unlink()
    assert "no rows.jsonl.recipe says how it was made" in errata(*usual, "--limit", "5")[2]


def test_a_last_row_without_the_end_of_its_line_is_kept(errata: Errata, documents: Path, tmp_path: Path) -> None:
    file, whole = tmp_path / "rows.jsonl", tmp_path / "whole.jsonl"
    errata("corpus", "--sources", documents, "-o", whole, "--limit", "4")
    errata("corpus", "--sources", documents, "-o", file, "--limit", "2")
    file.write_bytes(file.read_bytes()[:-1])
    assert "2 rows made" in errata("corpus", "--sources", documents, "-o", file, "--limit", "4")[2]
    assert file.read_bytes() == whole.read_bytes()


def test_a_full_disk_is_one_line_and_what_was_written_is_whole(
    errata: Errata, documents: Path, tmp_path: Path, small_disk: Callable[[int], None]
) -> None:
    file = tmp_path / "rows.jsonl"
    command = ("corpus", "--sources", documents, "-o", file, "--limit", "12")
    small_disk(5_000)
    code, _, err = errata(*command)
    small_disk(resource.RLIM_INFINITY)
    assert (code, len(err.splitlines())) == (1, 1)
    assert "make room, then run the same command again" in err
    assert 0 < len(read_rows(file)) < 12
    assert errata(*command)[0] == 0
    assert len(read_rows(file)) == 12


@pytest.fixture
def small_disk() -> Iterator[Callable[[int], None]]:
    """Lets no file grow beyond so many bytes."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    yield lambda size: resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


@pytest.mark.parametrize("odd", ["\u2028", "\u0085", "\x0c"])
def test_what_else_ends_a_line_is_part_of_a_row(rows: Path, odd: str) -> None:
    rows.write_text(json.dumps({**ROW, "text": f"It opened{odd}in 1885."}, ensure_ascii=False) + "\n", "utf-8")
    (row,) = read_rows(rows)
    assert row["text"] == f"It opened{odd}in 1885."


def test_documents_are_held_out_whole(errata: Errata, tmp_path: Path) -> None:
    seen, unseen = tmp_path / "seen.jsonl", tmp_path / "unseen.jsonl"
    errata("corpus", "-o", seen, "--held-out", unseen, "--limit", "80")
    sources = [{row["source"] for row in read_rows(file)} for file in (seen, unseen)]
    assert not sources[0] & sources[1]


def test_questions_of_ones_own_are_asked(errata: Errata, documents: Path, tmp_path: Path) -> None:
    questions, file = tmp_path / "questions.txt", tmp_path / "rows.jsonl"
    questions.write_text("When was the Red Bridge opened?\n\nWho sang at the moon of Xyzzy?\n")
    code, _, err = errata("corpus", "--questions", questions, "--sources", documents, "-o", file)
    assert code == 0
    assert "1 row made, 1 question without one" in err
    (row,) = read_rows(file)
    assert row["clean"] == "The Red Bridge was opened in 1931."


ROW = {
    "id": "1",
    "question": "When?",
    "text": "It opened in 1885.",
    "clean": "It opened in 1883.",
    "corruptions": [{"kind": "date", "before": "1883", "after": "1885", "start": 13}],
    "source": "x",
    "evidence": [{"query": "When?", "title": "Bridge", "text": "It opened in 1883.", "source": "x", "positive": True}],
    "queries": [],
}


@pytest.fixture
def rows(tmp_path: Path) -> Path:
    file = tmp_path / "good.jsonl"
    file.write_text(json.dumps(ROW) + "\n" + json.dumps({**ROW, "id": "2", "text": ROW["clean"], "corruptions": []}))
    return file


def test_the_rules_are_measured_next_to_the_text_as_it_was(errata: Errata, tmp_path: Path) -> None:
    file = tmp_path / "rows.jsonl"
    errata("corpus", "-o", file, "--limit", "60", "--seed", "2")
    code, out, _ = errata("evaluate", file, "--json")
    assert code == 0
    as_it_was, serial, fused = json.loads(out)
    assert (as_it_was["restored"], as_it_was["untouched"], as_it_was["preservation"]) == (0, 1, 1)
    assert fused["restored"] > 0.1
    assert fused["attribution"] > as_it_was["attribution"]
    assert fused["untouched"] >= 0.9
    assert serial["editor"] == "rarr, serial (rules)"
    assert {found["n"] for found in (as_it_was, serial, fused)} == {60}
    assert "restored" in errata("evaluate", file, "--limit", "5")[1]


def test_what_cannot_be_is_said_in_a_line(errata: Errata, rows: Path, documents: Path, tmp_path: Path) -> None:
    empty, broken, out = tmp_path / "empty.jsonl", tmp_path / "broken.jsonl", tmp_path / "out"
    empty.touch()
    broken.write_text(json.dumps(ROW) + "\n" + json.dumps({**ROW, "evidence": "none"}) + "\n")
    notes = tmp_path / "notes.txt"
    notes.write_text("Buy milk.")
    wrong: list[tuple[tuple[Any, ...], str]] = [
        (("corpus", "-o", tmp_path / "no" / "rows.jsonl"), "name a file in a folder that exists"),
        (("corpus", "-o", "/proc/rows.jsonl"), "/proc/rows.jsonl"),
        (("corpus", "-o", "/dev/full"), "is a device"),
        (("corpus", "-o", out, "--held-out", "/dev/null"), "is a device"),
        (("corpus", "-o", "-"), "cannot be standard output"),
        (
            ("corpus", "-o", out, "--held-out", tmp_path / "documents" / ".." / "out"),
            "name another file for --held-out",
        ),
        (("corpus", "-o", out, "--sources", tmp_path / "nowhere"), "nowhere"),
        (("corpus", "-o", out, "--questions", empty), "holds no questions"),
        (("corpus", "-o", notes), "something other than rows"),
        (("corpus", "-o", broken), "line 2 is not a valid row"),
        (("corpus", "-o", out, "--backend", "corrupt=seq2seq"), "`corrupt` has no backend `seq2seq`"),
        (("corpus", "-o", out, "--search", "nowhere"), "nowhere"),
        (("train", rows, "-o", out), "Missing option '--model'"),
        (("train", empty, "-o", out, "--model", "x"), "holds no rows"),
        (("train", tmp_path / "none", "-o", out, "--model", "x"), "there is no file"),
        (
            ("train", broken, "-o", out, "--model", "x"),
            "line 2 is not a valid row, as `errata purr corpus` makes them: `evidence",
        ),
        (("train", rows, "-o", documents, "--model", "x"), "holds no training"),
        (("train", rows, "-o", out, "--model", "x", "--task", "questions"), "no row has queries"),
        (("evaluate", broken), "line 2 is not a valid row"),
        (("evaluate", rows, "--model", "nonsense"), "`nonsense` is not a model"),
    ]
    for arguments, problem in wrong:
        code, said, err = errata(*arguments)
        assert (code, said) == (2, "")
        assert problem in err
        assert err.count("\n") == 1
        assert not out.exists()
    assert notes.read_text() == "Buy milk."


def test_training_without_torch_says_how_to_get_it(
    errata: Errata, rows: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util, "find_spec", lambda name, *rest: None if name == "torch" else found(name, *rest)
    )
    for arguments in (
        ("train", rows, "-o", tmp_path / "out", "--model", tmp_path),
        ("evaluate", rows, "--editor-model", tmp_path),
    ):
        code, _, err = errata(*arguments)
        assert (code, err.count("\n")) == (2, 1)
        assert "pip install 'errata[seq2seq]'" in err


@pytest.mark.skipif(not HAS_TORCH, reason="needs torch, transformers, accelerate: pip install 'errata[seq2seq]'")
@pytest.mark.parametrize("task", ["edit", "questions"])
def test_from_documents_to_a_correction_by_a_model_of_ones_own(
    task: str,
    errata: Errata,
    documents: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    file, model = tmp_path / "rows.jsonl", tmp_path / "model"
    errata("corpus", "--sources", documents, "-o", file, "--limit", "12")
    start = untrained(tmp_path / "start", [file.read_text()])
    quick = ("--model", start, "--steps", "3", "--batch", "4", "--save-every", "2", "--task", task)
    code, _, err = errata("train", file, "--held-out", file, "-o", model, *quick)
    assert code == 0
    assert "12 examples" in err
    losses = json.loads((model / "training.json").read_text())["history"]
    assert any("eval_loss" in each for each in losses)
    assert errata("train", file, "-o", model, *quick)[0] == 2
    if task == "edit":
        code, out, _ = errata("evaluate", file, "--editor-model", model, "--limit", "4", "--json")
        assert [found["editor"] for found in json.loads(out)][-1] == "purr (seq2seq)"
    field = "editor_model" if task == "edit" else "question_model"
    given = ["correct", "The Red Bridge was opened in 1934.", "--method", "purr", "--set", f"{field}={model}", "--json"]
    monkeypatch.setattr(sys, "argv", ["errata", *given, "--sources", str(documents)])
    with pytest.raises(SystemExit):
        cli.main()
    result = json.loads(capsys.readouterr().out)
    assert result["stopped"] != "error" or "wrote nothing" in result["reason"]
    assert replay(result["original"], result["edits"]) == result["text"]
