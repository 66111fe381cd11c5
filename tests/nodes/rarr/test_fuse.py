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
    known = {"passage": 0, "verdict": None, "settled": False}
    return [{"question": piece["query"], "evidence": piece["id"], **known} for piece in pieces]


async def fused(*said: Any, text: str = TEXT, **settings: Any) -> tuple[dict[str, Any], Scripted]:
    model = Scripted(*said)
    given = state(text=text, passages=[text], checks=checks(YEAR, PLACE), evidence=[YEAR, PLACE])
    return await fuse(given, Context(backends={"edit_all": model}, **settings)), model


async def test_what_changes_in_a_sentence_is_one_change_with_the_evidence_that_is_named() -> None:
    right = TEXT.replace("1899", "1889").replace("Lyon", "Paris")
    named = [{"before": "1899", "after": "1889", "evidence": 1}, {"before": "Lyon", "after": "Paris", "evidence": 2}]
    update, _ = await fused({"text": right, "changes": named})
    (proposal,) = update["proposals"]
    assert (proposal["before"], proposal["after"]) == ("1899 and stands in Lyon", "1889 and stands in Paris")
    assert ([proposal["evidence"], *proposal["also"]], proposal["refused"]) == ([YEAR["id"], PLACE["id"]], "")
    assert [each["verdict"]["label"] for each in update["checks"]] == ["contradiction", "contradiction"]


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ([{"before": "1899", "after": "1901", "evidence": 7}], "its evidence does not exist"),
        ([], "no evidence is named for it"),
    ],
)
async def test_an_edit_whose_evidence_does_not_exist_never_lands(changes: list[Any], why: str) -> None:
    update, model = await fused({"text": TEXT.replace("1899", "1901"), "changes": changes})
    assert [proposal["refused"] for proposal in update["proposals"]] == [why]
    assert why in model.asked[1]["refused"], "the editor may try once more"


async def test_a_change_that_is_refused_takes_no_other_sentence_with_it() -> None:
    two = f"{TEXT} It is old."
    changes = [
        {"before": "1899", "after": "1889", "evidence": 1},
        {"before": "old", "after": "a" * 60, "evidence": 2},
    ]
    update, _ = await fused(
        {"text": two.replace("1899", "1889").replace("old", "a" * 60), "changes": changes}, text=two
    )
    assert [bool(proposal["refused"]) for proposal in update["proposals"]] == [False, True]


async def test_what_is_not_changed_was_not_asked() -> None:
    update, _ = await fused({"text": TEXT.replace("1899", "1889")})
    assert [each["verdict"]["label"] for each in update["checks"]] == ["contradiction", "neutral"]
    assert "whether the two agree was not asked" in update["checks"][1]["verdict"]["reason"]


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
