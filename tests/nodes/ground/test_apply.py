"""The changes that stood are made, from left to right, over all passages."""

from typing import Any

import pytest

from errata.nodes.ground.apply import ANNOTATED, apply
from errata.state import Context, replay

from ...reviewing import REJECT, edited
from .states import PAGE, RIGHT, TEXT, YEAR, change, grounding, part

STONE = TEXT.index("granite")


async def test_changes_of_several_passages_find_their_places() -> None:
    mine = [change("granite", "limestone", STONE), change("1931", "1934", YEAR)]
    state = grounding(part(TEXT + " ", changes=mine), part(changes=[change("1931", "in May 1934", YEAR)]))
    update = await apply(state, Context())
    assert update["text"] == f"{RIGHT.replace('granite', 'limestone')} {TEXT.replace('1931', 'in May 1934')}"
    assert replay(state["text"], update["edits"]) == update["text"]
    assert [edit["before"] for edit in update["edits"]] == ["1931", "granite", "1931"]
    assert update["edits"][0]["reason"] == "Text: 1931\nEvidence: The Sora Bridge was opened in 1934."


async def test_a_refused_change_is_recorded_with_its_reason() -> None:
    update = await apply(grounding(part(changes=[change("1931", "1934", YEAR, refused="no evidence")])), Context())
    (edit,) = update["edits"]
    assert (update["text"], edit["applied"]) == (TEXT, False)
    assert edit["reason"].startswith("Refused: no evidence")


async def test_a_text_that_is_annotated_stays_as_it_is() -> None:
    update = await apply(grounding(part(changes=[change("1931", "1934", YEAR)])), Context(mode="annotate"))
    assert update["text"] == TEXT
    assert update["edits"][0]["reason"].startswith(f"Refused: {ANNOTATED}")


@pytest.mark.parametrize(("answer", "year"), [(REJECT, "1931"), (edited("early 1934"), "early 1934")])
async def test_a_person_decides_on_each(monkeypatch: pytest.MonkeyPatch, answer: Any, year: str) -> None:
    shown: list[str] = []

    def person(request: Any) -> Any:
        shown.append(request["action_requests"][0]["description"])
        return answer if len(shown) == 1 else REJECT

    monkeypatch.setattr("errata.nodes.review.interrupt", person)
    changes = [
        change("1931", "1934", YEAR),
        change("granite", "limestone", STONE),
        change("is", "was", 0, refused="no"),
    ]
    update = await apply(grounding(part(changes=changes)), Context(review=True))
    assert update["text"] == TEXT.replace("1931", year)
    assert len(shown) == 2
    assert "Change 1 of 2." in shown[0]
    assert PAGE["source"] in shown[0]
