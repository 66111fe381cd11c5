"""The order of the gates: an open one holds up those after it in its passage, and no others."""

from typing import Any

import pytest

from errata.models.tasks.correction import Agreement, AgreementInput
from errata.nodes.rarr import open_check, unasked
from errata.nodes.rarr.gate import earned, settle
from errata.state.methods.correction import Check
from errata.tools import evidence


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


@pytest.mark.parametrize(
    ("text_says", "evidence_says", "said", "label"),
    [
        ("1889", "1887", "entailment", "neutral"),
        ("in 1889", "on 31 March 1889", "entailment", "entailment"),
        ("about 8,849 m", "8,848.86 metres", "entailment", "entailment"),
        ("20 July 1969", "July 20, 1969", "contradiction", "neutral"),
        ("1889", "1887", "contradiction", "contradiction"),
        ("In 1889.", "In 1889 in Paris.", "contradiction", "neutral"),
        ("In 1889.", "Not in 1889.", "contradiction", "contradiction"),
        ("In 1901.", "In 1887.", "contradiction", "neutral"),
        ("Lord Byron.", "Eiffel.", "contradiction", "neutral"),
        ("Nobody.", "Eiffel.", "contradiction", "contradiction"),
        ("1889", "It does not say.", "entailment", "neutral"),
        ("...", "...", "entailment", "neutral"),
        ("in Lyon", "in Lyon", "entailment", "neutral"),
        ("of brass", "of brass", "entailment", "neutral"),
        ("yes", "yes", "entailment", "entailment"),
    ],
)
def test_what_the_two_sides_say_has_to_bear_the_label_out(
    text_says: str, evidence_says: str, said: Any, label: str
) -> None:
    text = "Completed on 31 March 1889; Mount Everest has 8,848.86 metres. Landed on July 20, 1969."
    piece = evidence(query="tower", title="Towers", text=text)
    compared = AgreementInput(text="It has stood since 1889.", query="tower", evidence=text, title="Towers")
    agreement = Agreement(text_says=text_says, evidence_says=evidence_says, label=said)
    assert earned(agreement, compared, piece).label == label


def test_agreement_is_not_taken_where_rules_find_a_contradiction() -> None:
    text = "The mill was built in 1887."
    query = "When was the mill built?"
    piece = evidence(query=query, title="Mill", text=text)
    compared = AgreementInput(text="The mill was built in 1889.", query=query, evidence=text, title="Mill")
    told = earned(Agreement(text_says="the mill", evidence_says="the mill", label="entailment"), compared, piece)
    assert (told.label, told.evidence_says) == ("contradiction", text)
