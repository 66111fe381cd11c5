"""What came of a run is true, and its numbers add up."""

import re
from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from errata.nodes.rarr.attribute import _sentences
from errata.nodes.rarr.conclude import conclude
from errata.state import Context, SentenceStatus, Status
from errata.state.outcomes import (
    SAID,
    STATUSES,
    as_a_whole,
    check_status,
    combined,
    credit_answer,
    status_of,
    tally,
)
from errata.state.runs.meter import NOTHING
from errata.state.text.segments import sentences

STATUS = st.sampled_from(get_args(SentenceStatus))
TEXT = "The tower was built in 1889. It stands in Paris. Nobody asked of this."


@st.composite
def checks(draw: st.DrawFn) -> list[dict[str, Any]]:
    """Checks as they stand at any end of a run."""
    made = []
    for number in range(draw(st.integers(0, 8))):
        label = draw(st.sampled_from(["entailment", "neutral", "contradiction", "error", None]))
        verdict = label and {"question": "", "label": label, "reason": "why", "evidence": "e", "backend": "chat"}
        check = {"question": f"{number % 3}?", "passage": 0, "evidence": draw(st.sampled_from(["e", ""]))}
        check |= {"verdict": verdict, "settled": draw(st.booleans()), "replacement": None}
        if draw(st.booleans()):
            check["corrected"] = verdict
        if label == "contradiction" and draw(st.booleans()):
            check["left"] = "it changes nothing"
        made.append(check)
    return made


def state(made: list[dict[str, Any]]) -> Any:
    shared = {
        "text": TEXT,
        "question": "",
        "original": TEXT,
        "passages": [TEXT],
        "questions": ["?"],
        "checks": made,
        "edits": [],
    }
    piece = {"id": "e", "query": "?", "title": "Tower", "text": TEXT, "source": "", "score": 1.0}
    return {**shared, "failures": [], "spent": False, "worked": [], "evidence": [piece], "usage": NOTHING}


@given(st.lists(STATUS))
def test_the_numbers_of_a_tally_add_up(statuses: list[SentenceStatus]) -> None:
    said = tally(statuses, "sentence")
    first, *counts = [int(number) for number in re.findall(r"\d+", said)] or [0]
    assert first == sum(counts) == len(statuses)
    assert said.startswith("1 sentence:") == (len(statuses) == 1)


@given(checks())
def test_every_check_of_a_run_is_told_of_once(made: list[dict[str, Any]]) -> None:
    told = conclude(state(made), Context())["reason"]
    if not any(check["verdict"] and check["verdict"]["label"] == "error" for check in made):
        first, *counts = [int(number) for number in re.findall(r"\d+", told)] or [0]
        assert first == sum(counts) == len(made)


@given(checks(), st.dictionaries(st.sampled_from(["0?", "1?", "2?"]), st.sampled_from([0, 1, 2, None])))
def test_what_is_left_wrong_is_in_the_records_and_in_the_status(
    made: list[dict[str, Any]], about: dict[str, int | None]
) -> None:
    parts, unresolved = _sentences(state(made), {(0, asked): place for asked, place in about.items()}, [])
    wrong = [check for check in made if check_status(check) == "unresolved"]  # type: ignore[arg-type]
    assert len(unresolved) == len(wrong)
    assert [part["sentence"] for part in parts] == [TEXT[start:end] for start, end in sentences(TEXT)]
    assert all(TEXT[one["start"] : one["end"]] == one["sentence"] for one in unresolved)
    status = status_of(TEXT, TEXT, parts, unresolved)
    assert status in get_args(Status)
    assert (status == "unresolved") == bool(wrong)
    if status == "checked":
        assert {part["status"] for part in parts} == {"checked"}
    if status == "not checked":
        assert "checked" not in {part["status"] for part in parts}


@given(st.lists(STATUS), STATUS)
def test_a_sentence_is_checked_only_if_nothing_about_it_failed(statuses: list[SentenceStatus], one: str) -> None:
    assert set(STATUSES) == set(SAID) == set(get_args(SentenceStatus))
    if combined(statuses) == "checked":
        assert set(statuses) <= {"checked", "nothing found"}
    assert combined([*statuses, "unresolved"]) == "unresolved"
    assert combined([]) == "not checked"


def test_a_text_that_was_judged_as_a_whole_says_what_was_corrected() -> None:
    now = "It was built in 1889. It stands in Paris."
    parts = as_a_whole("It was built in 1899. It stands in Paris.", now, "checked", ["a"], ["b"])
    assert [(part["status"], part["evidence"]) for part in parts] == [("corrected", ["b", "a"]), ("checked", ["a"])]
    assert status_of("x", "y", [], []) == "corrected"
    assert status_of("x", "x", [], []) == "not checked"


@pytest.mark.parametrize(
    ("last", "first", "status"),
    [
        ("So the answer is: 8,849 metres.", "checked", "checked"),
        ("So the answer is: 8,850 metres.", "checked", "not checked"),
        ("So the answer is: 8,849 metres.", "nothing found", "not checked"),
        ("It is 8,849 metres high.", "checked", "not checked"),
    ],
)
def test_a_line_that_only_states_the_answer_rests_on_the_sentence_that_gives_it(
    last: str, first: SentenceStatus, status: SentenceStatus
) -> None:
    text = f"Mount Everest is 8,849 metres high. {last}"
    told, closing = as_a_whole(text, text, "not checked")
    told |= {"status": first, "evidence": ["e"]}
    credit_answer([told, closing])
    assert (closing["status"], closing["evidence"]) == (status, ["e"] if status == "checked" else [])
