"""The order of the gates: an open one holds up those after it in its passage, and no others."""

from typing import Any

from errata.nodes.rarr import open_check, unasked
from errata.nodes.rarr.gate import settle
from errata.state.methods.correction import Check


def check(label: str | None, passage: int = 0, settled: bool = False) -> Check:
    verdict: Any = (
        {"question": "?", "label": label, "reason": "", "evidence": "e", "backend": "fake"} if label else None
    )
    return {
        "question": "?",
        "passage": passage,
        "evidence": "e",
        "verdict": verdict,
        "settled": settled,
        "replacement": None,
    }


def test_closed_gates_are_settled_up_to_the_first_that_is_open_or_unasked() -> None:
    checks = [check("entailment"), check("error"), check("contradiction"), check("neutral"), check(None)]
    settle(checks)
    assert [item["settled"] for item in checks] == [True, True, False, False, False]
    assert open_check(checks, 0) == 2


def test_a_gate_that_was_asked_ahead_is_not_open_before_its_turn() -> None:
    checks = [check("entailment", settled=True), check(None), check("contradiction")]
    assert open_check(checks, 0) is None
    assert unasked(checks)


def test_passages_do_not_hold_each_other_up() -> None:
    checks = [check("contradiction", 0), check("entailment", 1), check("contradiction", 1)]
    settle(checks)
    assert [item["settled"] for item in checks] == [False, True, False]
    assert [open_check(checks, passage) for passage in range(3)] == [0, 2, None]


def test_an_error_opens_no_gate() -> None:
    assert open_check([check("error")], 0) is None
