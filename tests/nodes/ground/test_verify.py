"""Which changes of a revision the text may carry."""

from importlib import import_module
from typing import Any, cast

import pytest

from errata.nodes.ground.verify import (
    ADDED,
    ANOTHER_TEXT,
    LEFT_OUT,
    NOT_SHOWN,
    UNKNOWN,
    UNQUOTED,
    checked,
    judged,
    verify,
)
from errata.state import Context
from errata.state.errors import ModelError

from ...fakes import always
from .states import PAGE, RIGHT, TEXT, YEAR, change, grounding, part


async def looked_at(**fields: Any) -> list[Any]:
    update = await verify(grounding(part(tries=1, **fields)), Context())
    return list(update["parts"][0]["changes"])


def refusals(changes: list[Any]) -> list[str]:
    return [one["refused"] for one in changes]


async def test_what_the_evidence_says_of_this_may_stand() -> None:
    (one,) = await looked_at(revised=RIGHT)
    assert (one["before"], one["after"], one["refused"]) == ("1931", "1934", "")
    assert (one["evidence"], one["quote"]) == (PAGE["id"], "The Sora Bridge was opened in 1934.")


@pytest.mark.parametrize(("year", "why"), [("1934", ""), ("1933", NOT_SHOWN)])
async def test_rules_that_make_the_same_change_speak_for_it(year: str, why: str) -> None:
    """The words around it differ too much to show it."""
    text = "The Sora Bridge opened in 1931."
    told = "The Sora Bridge is a stone bridge that opened in the old harbour district on 3 May 1934."
    pages = [{**PAGE, "text": told}]
    (one,) = await checked(text, text.replace("1931", year), cast(Any, pages), Context())
    assert (one["refused"], one["quote"]) == (why, "" if why else told)


@pytest.mark.parametrize(
    ("revised", "why"),
    [
        (TEXT.replace("1931", "1935"), NOT_SHOWN),
        (TEXT.replace("opened in", "opened  in"), None),
        (TEXT.replace("granite", "granite and glass"), ADDED),
        (TEXT.replace(" in 1931", ""), LEFT_OUT),
        ("I cannot help with that.", ANOTHER_TEXT),
        ("The Sora Bridge was opened in 1931, which is right. The Sora Bridge is made of granite.", ADDED),
    ],
)
async def test_what_does_not_follow_is_refused(revised: str, why: str | None) -> None:
    found = refusals(await looked_at(revised=revised))
    assert (set(found) == {why}) if why else not [each for each in found if not each]


async def test_a_refused_change_rests_on_nothing() -> None:
    (one,) = await looked_at(revised=TEXT.replace("1931", "1935"))
    assert (one["evidence"], one["quote"]) == ("", "")


@pytest.mark.parametrize(
    ("fields", "why"),
    [
        ({}, ""),
        ({"quote": "It was opened in 1934, they say."}, UNQUOTED),
        ({"evidence": ""}, UNKNOWN),
        ({"evidence": "of another page"}, NOT_SHOWN),
        ({"after": "nineteen thirty-one", "before": "1931"}, None),
    ],
)
async def test_a_change_by_name_needs_a_quote_that_stands_in_its_evidence(fields: Any, why: str | None) -> None:
    named = change("1931", "1934", YEAR) | fields
    (one,) = await looked_at(revised=TEXT, named=[named])
    assert one["refused"] == why if why is not None else one["refused"]


async def test_of_changes_at_one_place_the_first_stays() -> None:
    twice = [change("1931", "1934", YEAR), change("in 1931", "in 1934", YEAR - 3)]
    found = await looked_at(revised=TEXT, named=twice)
    assert len([one for one in found if not one["refused"]]) == 1
    assert "another change is in the same place" in refusals(found)


async def test_a_passage_that_nobody_revised_is_left() -> None:
    untouched = part()
    assert (await verify(grounding(untouched), Context()))["parts"] == [untouched]


async def test_rules_say_what_a_piece_says_of_sentences() -> None:
    assert await judged([TEXT.split(". ")[0] + ".", RIGHT.split(". ")[0] + "."], PAGE, Context()) == [
        "contradiction",
        "entailment",
    ]


async def test_a_judge_that_is_down_is_an_error_for_each(monkeypatch: pytest.MonkeyPatch) -> None:
    module = import_module("errata.nodes.ground.verify")  # under that name the package has the step
    monkeypatch.setattr(module, "task", lambda *_: always(ModelError("it is down")))
    assert await judged(["One.", "Two."], PAGE, Context()) == ["error", "error"]
