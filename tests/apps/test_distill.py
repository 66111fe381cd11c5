"""Distilling: what results teach, and from a strong model's verdicts to a judge that says the same, end to end."""

import json
import random
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from errata.apps.batch.output import flat
from errata.apps.cli.main import cli
from errata.apps.distill.pairs import Pair, pairs_of
from errata.apps.purr.rows import is_held_out
from errata.state import Edit

PAGE = "The bridge was opened in 1931. It stands in Bergen. The trains to the harbour were painted green."
PIECE = {"id": "e1", "query": "", "text": PAGE, "title": "Bridge", "source": "bridge.txt", "score": 1.0}


def result(text: str, *, final: str = "", edits: list[Edit] | None = None, backend: str = "chat", **more: Any) -> Any:
    """What `ground` returns, as far as it teaches anything."""
    verdict = {"question": text, "label": "contradiction", "reason": "", "evidence": "e1", "backend": backend}
    return {
        "original": text,
        "text": final or text,
        "edits": edits or [],
        "verdicts": [verdict],
        "evidence": [PIECE],
        "attribution": [],
        "unresolved": [],
        **more,
    }


def part(sentence: str, status: str, quote: str = "") -> dict[str, Any]:
    known = {"sentence": sentence, "start": 0, "end": len(sentence), "status": status}
    return {**known, "evidence": ["e1"] if status == "checked" else [], **({"quote": quote} if quote else {})}


def edit(before: str, after: str, start: int, reason: str = "", applied: bool = True) -> Edit:
    return {
        "before": before, "after": after, "start": start, "end": start + len(before), "evidence": "e1",
        "reason": reason, "applied": applied,
    }  # fmt: skip


def labels(pairs: list[Pair], origin: str) -> dict[str, str]:
    return {pair["claim"]: pair["label"] for pair in pairs if pair["origin"] == origin}


def test_a_change_teaches_what_was_wrong_and_what_is_right() -> None:
    wrong = "The bridge was opened in 1934."
    pairs = pairs_of([result(wrong, edits=[edit("1934", "1931", 25)])])
    assert labels(pairs, "edit") == {wrong: "contradiction", "The bridge was opened in 1931.": "entailment"}
    assert {pair["source"] for pair in pairs} == {"bridge.txt"}


def test_a_sentence_put_right_in_one_point_is_not_borne_out_in_another() -> None:
    wrong = "The bridge was opened in 1934 and repaired in 1977."
    pairs = pairs_of([result(wrong, edits=[edit("1934", "1931", 25)])])
    assert labels(pairs, "edit") == {wrong: "contradiction"}


def test_of_two_changes_in_a_sentence_only_the_last_can_have_put_it_right() -> None:
    wrong = "The bridge was opened in 1934 in Oslo."
    edits = [edit("1934", "1931", 25), edit("Oslo", "Bergen", 33)]
    right = labels(pairs_of([result(wrong, edits=edits)]), "edit")
    assert right[wrong] == "contradiction"
    assert right["The bridge was opened in 1931 in Oslo."] == "contradiction"
    assert right.get("The bridge was opened in 1931 in Bergen.") in (None, "entailment")


def test_what_a_person_wrote_counts_and_what_a_person_refused_does_not() -> None:
    wrong = "The bridge was opened in 1934."
    left = {"sentence": wrong, "start": 0, "end": 30, "question": "", "evidence": "e1", "reason": "", "left": ""}
    refused = edit("1934", "1931", 25, reason="Refused: a person rejected it", applied=False)
    assert pairs_of([result(wrong, edits=[refused], unresolved=[left])]) == []
    assert labels(pairs_of([result(wrong, unresolved=[left])]), "verdict") == {wrong: "contradiction"}


def test_agreement_is_support_only_where_it_is_quoted() -> None:
    right = "The bridge was opened in 1931."
    quoted = pairs_of([result(right, attribution=[part(right, "checked", "The bridge was opened in 1931.")])])
    assert labels(quoted, "verdict") == {right: "entailment"}
    assert pairs_of([result(right, attribution=[part(right, "checked")])]) == []


def test_what_nothing_was_found_for_stands_beside_what_comes_nearest() -> None:
    silent = "The bridge was painted by a friend."
    (pair,) = pairs_of([result(silent, attribution=[part(silent, "nothing found")])])
    assert (pair["label"], pair["evidence"]) == ("neutral", PAGE)


def test_a_supported_claim_is_also_made_wrong_and_put_beside_what_says_nothing_of_it() -> None:
    right = "The bridge was opened in 1931."
    pairs = pairs_of([result(right, attribution=[part(right, "checked", right)])])
    (swapped,) = labels(pairs, "swap")
    assert swapped != right
    assert labels(pairs, "swap")[swapped] == "contradiction"
    (near,) = [pair for pair in pairs if pair["origin"] == "neighbour"]
    assert (near["claim"], near["label"]) == (right, "neutral")
    assert "1931" not in near["evidence"]
    assert near["evidence"]


def test_claims_of_a_checker_keep_their_label_and_their_passage() -> None:
    claim = {
        "content": "The bridge stands in Bergen.",
        "label": "entailment",
        "evidence": "e1",
        "quote": "",
        "backend": "chat",
    }
    silent = {**claim, "content": "The bridge carries trains.", "label": "neutral", "evidence": ""}
    failed = {**claim, "content": "The bridge is old.", "label": "error"}
    by_rule = {**claim, "content": "The bridge is in Bergen.", "backend": "rules"}
    pairs = pairs_of([result("", claims=[claim, silent, failed, by_rule])])
    assert labels(pairs, "verdict") == {claim["content"]: "entailment", silent["content"]: "neutral"}


def test_what_only_rules_decided_teaches_nothing() -> None:
    wrong = "The bridge was opened in 1934."
    assert pairs_of([result(wrong, edits=[edit("1934", "1931", 25)], backend="rules")]) == []


def test_claims_that_were_judged_both_ways_are_left_out() -> None:
    claim = "The bridge was opened in 1934."
    left = {"sentence": claim, "start": 0, "end": 30, "question": "", "evidence": "e1", "reason": "", "left": ""}
    both = [result(claim, unresolved=[left]), result(claim, attribution=[part(claim, "nothing found")])]
    assert labels(pairs_of(both), "verdict") == {}


def test_the_part_of_long_evidence_is_taken_that_was_quoted() -> None:
    long = {**PIECE, "text": "A tale of something else. " * 90 + PAGE}
    right = "The bridge was opened in 1931."
    pairs = pairs_of([result(right, evidence=[long], attribution=[part(right, "checked", right)])])
    (pair,) = [pair for pair in pairs if pair["origin"] == "verdict"]
    assert right in pair["evidence"]
    assert len(pair["evidence"]) <= 1_200


TOWNS = "Arne Bryn Dale Eide Fosse Grue Holt Klepp Lund Moss Nes Odda Rade Skien Tynset Vik".split()


def batch_of(path: Path, rows: int) -> Path:
    """The output of a batch, decided by a model that knows: half of the texts give another year than their page."""
    draw = random.Random(0)
    lines = []
    for number in range(1, rows + 1):
        town, year = f"{draw.choice(TOWNS)}{number}", draw.randrange(1900, 1990)
        said = year if number % 2 else year + draw.choice([-9, -4, 3, 8])
        page = f"The bridge of {town} was opened in {year}. The trains over it were painted green and yellow."
        text = f"The bridge of {town} was opened in {said}."
        piece = {**PIECE, "text": page, "title": town, "source": f"{town}.txt"}
        changes = [] if number % 2 else [edit(str(said), str(year), text.index(str(said)))]
        attribution = [part(text, "checked", page.partition(" The")[0])] if number % 2 else []
        made = result(text, edits=changes, attribution=attribution, evidence=[piece])
        lines.append(
            flat({"line": number, "id": str(number), "status": "done", "error": "", "row": {}, "result": made})
        )
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


def test_no_page_is_both_taught_and_held_out(tmp_path: Path) -> None:
    lines = [json.loads(line) for line in batch_of(tmp_path / "out.jsonl", 60).read_text().splitlines()]
    pairs = pairs_of(lines)
    held = {pair["source"] for pair in pairs if is_held_out(pair["source"])}
    assert held
    assert held.isdisjoint(pair["source"] for pair in pairs if not is_held_out(pair["source"]))


def distil(*arguments: Any) -> Any:
    return CliRunner().invoke(cli, ["distill", *map(str, arguments)])


def test_it_says_what_is_missing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None if name == "torch" else True)
    ran = distil(batch_of(tmp_path / "out.jsonl", 60), "-o", tmp_path / "judge", "--encoder", tmp_path)
    assert "distilling needs torch: run `pip install 'errata[distill]'`" in str(ran.exception)


def test_results_that_teach_too_little_are_told(tmp_path: Path) -> None:
    ran = distil(batch_of(tmp_path / "out.jsonl", 8), "-o", tmp_path / "judge", "--encoder", tmp_path)
    assert "are too few" in str(ran.exception)
    (tmp_path / "out.jsonl").write_text("")
    ran = distil(tmp_path / "out.jsonl", "-o", tmp_path / "judge", "--encoder", tmp_path)
    assert "no row was decided by a model" in str(ran.exception)
    assert not (tmp_path / "judge").exists()
