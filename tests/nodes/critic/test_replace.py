"""Another text in the place of the best so far."""

from typing import Any

import pytest

from errata.nodes.critic.replace import decided, recorded, replaced
from errata.state import Context
from errata.tools import evidence

from ...reviewing import REJECT, edited
from ..states import loop, verdict

PIECE = evidence(query="q", text="It was built in 1889.", title="Tower")
STATE = loop(
    text="In 1899.", critique="It was 1889.", evidence=[PIECE], verdicts=[verdict("contradiction", PIECE["id"])]
)


def test_it_is_one_edit_of_the_whole_with_its_reason(told: list[dict[str, Any]]) -> None:
    update = replaced(STATE, "In 1889.", PIECE["id"])
    (made,) = update["edits"]
    assert (update["text"], made["before"], made["start"], made["end"]) == ("In 1889.", "In 1899.", 0, 8)
    assert (made["reason"], made["evidence"]) == ("It was 1889.", PIECE["id"])
    assert told == [{"step": "edit", "edit": made}]


def test_the_same_text_is_no_edit(told: list[dict[str, Any]]) -> None:
    assert replaced(STATE, "In 1899.", "") == {}
    assert told == []


@pytest.mark.parametrize(
    ("answer", "text"), [({"decisions": [{"type": "approve"}]}, "In 1889."), (edited("In May 1889."), "In May 1889.")]
)
def test_a_person_decides(monkeypatch: pytest.MonkeyPatch, answer: Any, text: str) -> None:
    shown: list[Any] = []

    def person(request: Any) -> Any:
        shown.append(request)
        return answer

    monkeypatch.setattr("errata.nodes.review.interrupt", person)
    assert recorded(STATE, decided(STATE, "In 1889.", Context(review=True)))["text"] == text
    assert "It was built in 1889." in str(shown), "with the evidence that its verdict rests on"


def test_what_they_reject_is_recorded_and_not_made(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("errata.nodes.review.interrupt", lambda request: REJECT)
    update = recorded(STATE, decided(STATE, "In 1889.", Context(review=True)))
    assert "text" not in update
    assert [each["applied"] for each in update["edits"]] == [False]


def test_nobody_is_asked_about_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr("errata.nodes.review.interrupt")
    assert decided(STATE, "In 1889.", Context())["applied"]
    assert recorded(STATE, decided(STATE, "In 1899.", Context(review=True))) == {}
