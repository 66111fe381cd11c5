"""The changes that stood are made, from left to right, over all passages."""

from typing import Any

import pytest

from errata.nodes.ground.apply import ANNOTATED, apply
from errata.nodes.ground.proposals import NOT_THERE
from errata.state import Context, replay

from ...reviewing import REJECT, answering, edited
from .states import PAGE, RIGHT, TEXT, YEAR, change, grounding, part

STONE = TEXT.index("granite")


async def test_changes_of_several_passages_find_their_places() -> None:
    mine = [change("1931", "1934", YEAR, why="It was later."), change("granite", "limestone", STONE)]
    state = grounding(part(TEXT + " ", changes=mine), part(changes=[change("1931", "in May 1934", YEAR)]))
    update = await apply(state, Context())
    assert update["text"] == f"{RIGHT.replace('granite', 'limestone')} {TEXT.replace('1931', 'in May 1934')}"
    assert replay(state["text"], update["edits"]) == update["text"]
    assert [edit["before"] for edit in update["edits"]] == ["1931", "granite", "1931"]
    first = update["edits"][0]
    assert first["reason"] == "It was later.\nEvidence: The Sora Bridge was opened in 1934."
    assert (first["why"], first["quote"]) == ("It was later.", "The Sora Bridge was opened in 1934.")


async def test_a_refused_change_keeps_its_reason_its_quote_and_why_it_was_proposed() -> None:
    refused = change("1931", "1934", YEAR, refused="The page is about something else.", why="It was later.")
    (edit,) = (await apply(grounding(part(changes=[refused])), Context()))["edits"]
    assert not edit["applied"]
    assert edit["reason"].splitlines() == [
        "Refused: The page is about something else.",
        "It was later.",
        "Evidence: The Sora Bridge was opened in 1934.",
    ]
    assert (edit["why"], edit["quote"], edit["evidence"]) == ("It was later.", refused["quote"], PAGE["id"])


async def test_a_text_that_is_annotated_stays_as_it_is() -> None:
    update = await apply(grounding(part(changes=[change("1931", "1934", YEAR)])), Context(mode="annotate"))
    assert update["text"] == TEXT
    assert update["edits"][0]["reason"].startswith(f"Refused: {ANNOTATED}")


def reviewing(monkeypatch: pytest.MonkeyPatch, *answers: Any) -> list[str]:
    shown: list[str] = []
    decide = answering(*answers)

    def person(request: Any, **more: Any) -> Any:
        shown.append(request["action_requests"][0]["description"])
        return decide(request, **more)

    monkeypatch.setattr("errata.nodes.review.interrupt", person)
    return shown


@pytest.mark.parametrize(("answer", "year"), [(REJECT, "1931"), (edited("early 1934"), "early 1934")])
async def test_a_person_decides_on_each(monkeypatch: pytest.MonkeyPatch, answer: Any, year: str) -> None:
    shown = reviewing(monkeypatch, answer, REJECT)
    changes = [change("1931", "1934", YEAR), change("granite", "limestone", STONE)]
    update = await apply(grounding(part(changes=changes)), Context(review=True))
    assert update["text"] == TEXT.replace("1931", year)
    assert len(shown) == 2
    assert "Change 1 of 2." in shown[0]
    assert PAGE["source"] in shown[0]


async def test_a_person_can_accept_what_was_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    shown = reviewing(monkeypatch, {"decisions": [{"type": "approve"}]}, REJECT)
    nowhere = change("1929", "1934", 0, refused=NOT_THERE)
    changes = [
        nowhere,
        change("1931", "1934", YEAR, refused="The page is about another bridge."),
        change("granite", "limestone", STONE),
    ]
    update = await apply(grounding(part(changes=changes)), Context(review=True))
    assert update["text"] == RIGHT
    assert "Doubtful: The page is about another bridge." in shown[0]
    assert len(shown) == 2, "words that the text does not have cannot be changed"
    assert [edit["applied"] for edit in update["edits"]] == [False, True, False]
    assert replay(TEXT, update["edits"]) == RIGHT
