"""A model puts passages right in one call each, and once more where something was refused."""

from typing import Any

import pytest

from errata.nodes.ground.revise import MOST_TRIES, due, revise
from errata.state import Context
from errata.state.errors import ModelError

from ...fakes import FakeChatModel, Scripted
from .states import PAGE, RIGHT, TEXT, YEAR, change, grounding, part

NAMED: dict[str, Any] = {
    "changes": [{"why": "", "before": "1931", "after": "1934", "evidence": 1, "quote": "opened in 1934"}],
    "sentences": [
        {"number": 1, "label": "contradicted", "evidence": 1, "quote": "opened in 1934"},
        {"number": 2, "label": "supported", "evidence": 7, "quote": "granite"},
    ],
}
REFUSED = change("1931", "1934", YEAR, refused="the quote is not in the evidence")


def writing(*said: Any, **settings: Any) -> tuple[Scripted, Context]:
    model = Scripted(*said)
    return model, Context(form="rewrite", backends={"revise": model}, **settings)


def naming(*said: Any) -> tuple[Scripted, Context]:
    model = Scripted(*said)
    return model, Context(form="structured", backends={"ground": model, "revise": Scripted({"text": RIGHT})})


@pytest.mark.parametrize(
    ("fields", "is_due"),
    [
        ({}, True),
        ({"shown": []}, False),
        ({"failed": "it is down"}, False),
        ({"tries": 1}, False),
        ({"tries": 1, "named": [REFUSED], "changes": [REFUSED]}, True),
        ({"tries": 1, "named": [REFUSED], "changes": [change("1931", "1934", YEAR)]}, False),
        ({"tries": MOST_TRIES, "named": [REFUSED], "changes": [REFUSED]}, False),
    ],
)
def test_which_passages_a_model_is_to_see(fields: dict[str, Any], is_due: bool) -> None:
    assert due(grounding(part(**fields))) == ([0] if is_due else [])


async def test_a_passage_is_written_again_with_all_its_evidence() -> None:
    model, context = writing({"text": f" {RIGHT}\n"})
    update = await revise(grounding(part(), part(shown=[]), question="When?"), context)
    assert [one["revised"] for one in update["parts"]] == [RIGHT, None]
    (asked,) = model.asked
    assert asked["evidence"] == [{"title": PAGE["title"], "text": PAGE["text"]}]
    assert (asked["text"], asked["question"], asked["refused"]) == (TEXT, "When?", "")


async def test_changes_come_with_their_quotes_and_labels_with_their_evidence() -> None:
    model, context = naming(NAMED)
    (one,) = (await revise(grounding(part()), context))["parts"]
    (named,) = one["named"]
    assert (named["start"], named["before"], named["evidence"]) == (YEAR, "1931", PAGE["id"])
    assert [(each["sentence"], each["status"], each["evidence"]) for each in one["labels"]] == [
        (0, "unresolved", PAGE["id"]),
        (1, "checked", ""),
    ], "evidence that there is none of is none"
    assert model.asked[0]["sentences"] == ["The Sora Bridge was opened in 1931.", "The Sora Bridge is made of granite."]


async def test_words_that_do_not_stand_there_are_refused() -> None:
    _, context = naming({**NAMED, "changes": [{**NAMED["changes"][0], "before": "1929"}]})
    (one,) = (await revise(grounding(part()), context))["parts"]
    assert [each["refused"] for each in one["named"]] == ["these words are not in the passage"]


async def test_the_second_try_is_told_what_was_refused_of_the_first() -> None:
    model, context = naming(NAMED)
    stood = change("granite", "limestone", TEXT.index("granite"))
    tried = part(tries=1, named=[REFUSED, stood], changes=[REFUSED, stood])
    (one,) = (await revise(grounding(tried), context))["parts"]
    assert "1931 → 1934\nRefused: the quote is not in" in model.asked[0]["refused"]
    assert [each["before"] for each in one["named"]] == ["granite", "1931"], "what stood is not lost"
    assert one["tries"] == 2


async def test_a_reply_that_names_nothing_readable_becomes_a_rewriting() -> None:
    _, context = naming(ModelError("no object"))
    (one,) = (await revise(grounding(part()), context))["parts"]
    assert (one["revised"], one["named"], one["failed"]) == (RIGHT, [], "")


async def test_a_model_that_is_down_is_told_for_its_passage() -> None:
    _, context = writing(ModelError("it is down"))
    update = await revise(grounding(part()), context)
    assert update["failures"] == [{"step": "revise", "reason": "it is down", "unchecked": True}]
    again = part(tries=1, named=[REFUSED], changes=[REFUSED])
    assert (await revise(grounding(again), context))["failures"] == [], "what stood of the first try still stands"


async def test_passages_that_the_budget_does_not_reach_are_left() -> None:
    model = FakeChatModel(replies=[RIGHT])
    context = Context(model=model, form="rewrite", max_calls=1, cache=False)
    update = await revise(grounding(part(), part()), context)
    assert (update["spent"], [one["tries"] for one in update["parts"]]) == (True, [1, 0])


@pytest.mark.parametrize("reply", ["null", " NULL", "{}", "[]"])
async def test_a_reply_that_is_no_text_is_an_outage_and_not_a_refused_change(reply: str) -> None:
    chat = FakeChatModel(replies=[reply])
    update = await revise(grounding(part()), Context(form="rewrite", model=chat))
    assert "`text` is empty" in update["parts"][0]["failed"]
    assert update["failures"][0]["unchecked"]
