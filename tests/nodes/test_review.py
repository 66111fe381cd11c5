"""A person decides on an edit: what they are shown, what they may answer, and what is not asked twice."""

from typing import Any

import pytest

from errata.nodes.review import MOST_ANSWERS, rejected, reviewed
from errata.state import Edit
from errata.tools import evidence

from ..reviewing import APPROVE, REJECT, edited
from .states import edit

TEXT = "The tower was built in 1899 in Lyon."
YEAR = edit("1899", "1889", TEXT.index("1899"), reason="Evidence: built in 1889")
PIECE = evidence(query="q", text="It was built in 1889.\n\n![](http://x/y.png)", title="Tower", source="https://t.org")


class Person:
    """Answers in turn, and remembers what they were shown."""

    def __init__(self) -> None:
        self.answers: list[Any] = []
        self.shown: list[Any] = []

    def __call__(self, request: Any) -> Any:
        self.shown.append(request["action_requests"][0])
        return self.answers.pop(0)

    def decide(self, *answers: Any, record: Edit = YEAR, edits: list[Edit] | None = None) -> Edit:
        self.answers, self.shown = [*answers], []
        return reviewed(record, "When was it built?", PIECE, TEXT, edits or [], 1)


@pytest.fixture
def person(monkeypatch: pytest.MonkeyPatch) -> Person:
    person = Person()
    monkeypatch.setattr("errata.nodes.review.interrupt", person)
    return person


def test_a_person_is_shown_the_change_in_place_with_its_evidence(person: Person) -> None:
    assert person.decide(APPROVE) == YEAR
    (action,) = person.shown
    assert action["args"] == {"before": "1899", "after": "1889"}
    told = action["description"]
    assert "Change 1 of 2. Should the text be changed like this?" in told
    assert "The tower was built in [-1899-]{+1889+} in Lyon." in told
    assert "Tower · https://t.org" in told
    assert "\n    ![](http://x/y.png)" in told, "Markdown shows it and loads nothing"


def test_a_rejected_edit_says_what_the_person_said(person: Person) -> None:
    answer = {"decisions": [{"type": "reject", "message": "  it is\nright "}]}
    found = person.decide(answer)
    assert (found["applied"], found["after"]) == (False, "1889")
    assert found["reason"] == "Refused: a person rejected it: it is right\nEvidence: built in 1889"
    assert rejected(YEAR, 5)["reason"].startswith("Refused: a person rejected it\n")


def test_words_of_their_own_take_the_place_of_the_proposed_ones(person: Person) -> None:
    found = person.decide(edited("March 1889"))
    assert (found["after"], found["applied"]) == ("March 1889", True)
    assert found["reason"].startswith("Rewritten by a person\n")
    assert not person.decide(edited("1899"))["applied"], "their words are those that stand there"


@pytest.mark.parametrize(
    "answer",
    [None, "yes", {}, {"decisions": []}, {"decisions": [{"type": "shrug"}]}, {"decisions": [APPROVE, APPROVE]}],
)
def test_what_is_no_decision_is_asked_again(person: Person, answer: Any) -> None:
    assert person.decide(answer, APPROVE)["applied"]
    assert "That answer could not be used" in person.shown[-1]["description"]


def test_who_never_decides_has_the_edit_left_out(person: Person) -> None:
    found = person.decide(*[None] * MOST_ANSWERS)
    assert not found["applied"]
    assert "5 answers contained no decision" in found["reason"]


def test_an_edit_that_leaves_nothing_is_no_usable_answer(person: Person) -> None:
    whole = edit(TEXT, "Something else.")
    person.decide(edited(" "), REJECT, record=whole)
    assert "it would leave nothing of the text" in person.shown[-1]["description"]


def test_what_they_rejected_before_is_not_shown_again(person: Person) -> None:
    before = [rejected(YEAR), edit("Lyon", "Paris", TEXT.index("Lyon"))]
    assert not person.decide(record=YEAR, edits=before)["applied"]
    assert person.shown == [], "nobody was asked"
