"""One edit of a passage over several pieces of evidence, as changes of words that each rest on one."""

from typing import Any

import pytest

from errata.nodes.rarr.fuse import fuse
from errata.state import Context
from errata.state.errors import ModelError
from errata.tools import evidence

from ...fakes import FakeChatModel, Scripted
from ..states import state

TEXT = "The tower was completed in 1899 and stands in Lyon."
YEAR = evidence(query="When was it completed?", text="The tower was completed in 1889.", title="Tower", score=2.0)
PLACE = evidence(query="Where does it stand?", text="The tower stands in Paris.", title="Paris", score=1.0)


def checks(*pieces: Any) -> list[dict[str, Any]]:
    known = {"passage": 0, "verdict": None, "settled": False, "replacement": None}
    return [{"question": piece["query"], "evidence": piece["id"], **known} for piece in pieces]


async def fused(*said: Any, text: str = TEXT, **settings: Any) -> tuple[dict[str, Any], Scripted]:
    model = Scripted(*said)
    given = state(text=text, passages=[text], checks=checks(YEAR, PLACE), evidence=[YEAR, PLACE])
    return await fuse(given, Context(backends={"edit_all": model}, **settings)), model


async def test_each_change_rests_on_the_evidence_that_has_its_words() -> None:
    update, model = await fused({"text": TEXT.replace("1899", "1889").replace("Lyon", "Paris")})
    assert [(each["before"], each["after"], each["evidence"]) for each in update["proposals"]] == [
        ("1899", "1889", YEAR["id"]),
        ("Lyon", "Paris", PLACE["id"]),
    ]
    assert [each["verdict"]["label"] for each in update["checks"]] == ["contradiction", "contradiction"]
    assert all(each["settled"] for each in update["checks"])
    (asked,) = model.asked
    assert [pair["query"] for pair in asked["pairs"]] == [YEAR["query"], PLACE["query"]]


async def test_what_is_not_changed_was_not_asked() -> None:
    update, _ = await fused({"text": TEXT.replace("1899", "1889")})
    assert [each["verdict"]["label"] for each in update["checks"]] == ["contradiction", "neutral"]
    assert "whether the two agree was not asked" in update["checks"][1]["verdict"]["reason"]


async def test_words_that_no_evidence_has_rest_on_none() -> None:
    update, _ = await fused({"text": TEXT.replace("Lyon", "Nantes")})
    (proposal,) = update["proposals"]
    assert (proposal["evidence"], proposal["reason"]) == ("", "No piece of evidence has the inserted words.")
    assert proposal["refused"] == "no piece of evidence has it"
    assert {each["verdict"]["label"] for each in update["checks"]} == {"neutral"}


@pytest.mark.parametrize(
    ("text", "edited", "refused"),
    [
        ("The old tower stands in 「Paris」.", "The old tower stands in Paris.", "it changes no word"),
        ("『소금 지도』의 원고", "소금 지도의 원고", "it changes no word"),
        ("An old tower stands there.", "A tower stands there.", "it corrects nothing, and leaves something out"),
        ("The tower does not stand in Paris.", "The tower does stand in Paris.", ""),
        ("In 1889 it stands in Paris.", "It stands in Paris.", "it corrects nothing, and leaves something out"),
        ("The tower stands in Paris since 1923.", "The tower stands in Paris.", ""),
    ],
)
async def test_an_edit_without_a_gate_has_to_correct_something(text: str, edited: str, refused: str) -> None:
    update, _ = await fused({"text": edited}, text=text)
    assert {each["refused"] for each in update["proposals"]} == {refused}


async def test_a_change_that_goes_too_far_is_refused_and_takes_no_other_with_it() -> None:
    far = TEXT.replace("1899", "1889").replace("Lyon", f"Paris, {'as everybody knows ' * 4}")
    update, model = await fused({"text": far}, max_edit_share=1)
    refused = {each["before"]: bool(each["refused"]) for each in update["proposals"]}
    assert refused["1899"] is False
    assert any(refused.values())
    assert len(model.asked) == 2, "the editor is told of it, and may try once more"
    assert "Refused:" in model.asked[1]["refused"]


async def test_an_editor_that_is_down_leaves_everything_open_to_nobody() -> None:
    update, _ = await fused(ModelError("it is down"))
    assert [each["verdict"]["label"] for each in update["checks"]] == ["error", "error"]
    assert update["failures"] == [{"step": "fuse", "reason": "it is down", "unchecked": True}]
    assert update["proposals"] == []


async def test_passages_that_the_budget_does_not_reach_stay_open() -> None:
    model = FakeChatModel(replies=[f'{{"text": "{TEXT}"}}'])
    two = checks(YEAR) + [{**each, "passage": 1} for each in checks(PLACE)]
    given = state(text=TEXT * 2, passages=[TEXT, TEXT], checks=two, evidence=[YEAR, PLACE])
    update = await fuse(given, Context(model=model, max_calls=1, backends={"edit_all": "chat"}, cache=False))
    assert [each["settled"] for each in update["checks"]] == [True, False]
    assert update["spent"]
