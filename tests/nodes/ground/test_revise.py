"""A model puts passages right in one call each, and once more where something was refused."""

from typing import Any

import pytest

from errata.nodes.ground.revise import MOST_TRIES, due, is_structured, revise
from errata.state import Context
from errata.state.errors import ModelError

from ...fakes import FakeChatModel, Scripted
from .states import OPENED, PAGE, RIGHT, TEXT, YEAR, change, grounding, part

NAMED: dict[str, Any] = {
    "changes": [{"why": "It says 1934.", "before": "1931", "after": "1934", "evidence": 1, "quote": "opened in 1934"}],
    "sentences": [
        {"number": 1, "label": "contradicted", "evidence": 1, "quote": "opened in 1934"},
        {"number": 2, "label": "Supported", "evidence": 7, "quote": "made of granite"},
    ],
}
REFUSED = change("1931", "1934", YEAR, refused="The passages say nothing of the year.")
STONE = change("granite", "limestone", TEXT.index("granite"))
AGAIN: dict[str, Any] = {"tries": 1, "form": "structured", "again": True}


def writing(*said: Any, **settings: Any) -> tuple[Scripted, Context]:
    model = Scripted(*said)
    return model, Context(form="rewrite", backends={"revise": model}, **settings)


def naming(*said: Any, again: Any = None) -> tuple[Scripted, Context]:
    model = Scripted(*said)
    backends = {"ground": model, "amend": again or model, "revise": Scripted({"text": RIGHT})}
    return model, Context(form="structured", backends=backends)


@pytest.mark.parametrize(
    ("fields", "is_due"),
    [
        ({}, True),
        ({"shown": []}, False),
        ({"failed": "it is down"}, False),
        ({"tries": 1}, False),
        ({**AGAIN, "changes": [REFUSED]}, True),
        ({**AGAIN, "changes": [{**REFUSED, "status": "disputed"}]}, False),
        ({**AGAIN, "changes": [STONE]}, False),
        ({**AGAIN, "changes": [REFUSED], "again": False}, False),
        ({**AGAIN, "changes": [REFUSED], "tries": MOST_TRIES}, False),
    ],
)
def test_which_passages_a_model_is_to_see(fields: dict[str, Any], is_due: bool) -> None:
    assert due(grounding(part(**fields))) == ([0] if is_due else [])


async def test_a_passage_is_written_again_with_all_its_evidence() -> None:
    model, context = writing({"text": f" {RIGHT}\n"})
    update = await revise(grounding(part(), part(shown=[]), question="When?"), context)
    assert [[each["after"] for each in one["proposed"]] for one in update["parts"]] == [["1934"], []]
    (asked,) = model.asked
    assert asked["evidence"] == [{"title": PAGE["title"], "text": PAGE["text"]}]
    assert (asked["text"], asked["question"], asked["refused"]) == (TEXT, "When?", "")


async def test_changes_come_with_their_quotes_and_labels_with_their_evidence() -> None:
    model, context = naming(NAMED)
    (one,) = (await revise(grounding(part()), context))["parts"]
    (named,) = one["proposed"]
    assert (named["start"], named["before"], named["evidence"]) == (YEAR, "1931", PAGE["id"])
    assert (named["why"], named["quote"]) == ("It says 1934.", "opened in 1934")
    assert [(each["sentence"], each["status"], each["evidence"]) for each in one["labels"]] == [
        (0, "unresolved", PAGE["id"]),
        (1, "checked", PAGE["id"]),
    ], "a quote leads to its evidence, whatever number a model gives it"
    assert model.asked[0]["sentences"] == ["The Sora Bridge was opened in 1931.", "The Sora Bridge is made of granite."]


@pytest.mark.parametrize(
    "said",
    [
        [],
        [{"number": 1, "label": "contradicted", "quote": "opened by the king"}],
        [{"number": 1, "label": "supported", "quote": OPENED}, {"number": 1, "label": "contradicted", "quote": OPENED}],
        [{"number": 9, "label": "supported", "quote": OPENED}],
        [{"number": 1, "label": "supported", "quote": ""}],
    ],
)
async def test_a_sentence_without_one_label_and_its_quote_has_none(said: list[Any]) -> None:
    model, context = naming({"sentences": said, "changes": []})
    (one,) = (await revise(grounding(part()), context))["parts"]
    assert (one["labels"], one["failed"], len(model.asked)) == ([], "", 1)


async def test_the_second_try_is_told_what_was_made_and_what_was_refused() -> None:
    model, context = naming(NAMED)
    tried = part(**AGAIN, changes=[REFUSED, STONE])
    (one,) = (await revise(grounding(tried), context))["parts"]
    (asked,) = model.asked
    assert asked["refused"] == ["1931 → 1934\nRefused: The passages say nothing of the year."]
    assert asked["accepted"] == ["granite → limestone"]
    assert asked["sentences"][1] == "The Sora Bridge is made of limestone."
    assert [each["before"] for each in one["proposed"]] == ["1931"]
    assert (one["tries"], one["changes"]) == (2, [REFUSED, STONE])


async def test_on_the_second_try_only_what_is_open_may_change() -> None:
    other = {**NAMED, "changes": [{**NAMED["changes"][0], "before": "granite", "after": "wood"}]}
    _, context = naming(other)
    (one,) = (await revise(grounding(part(**AGAIN, changes=[REFUSED, STONE])), context))["parts"]
    assert one["proposed"] == []
    assert [each["sentence"] for each in one["labels"]] == [0], "and only that is labelled"


async def test_a_small_change_of_what_reads_otherwise_by_then_finds_its_place() -> None:
    longer = change("The Sora Bridge is", "That bridge, which crosses the Sora, is", TEXT.index("The Sora Bridge is"))
    text = f"{TEXT} It is closed."
    refused = change("closed", "open", text.index("closed"), refused="No.")
    now = text.replace("The Sora Bridge is", longer["after"])
    model, context = writing({"text": now.replace("closed", "open")})
    tried = part(text, tries=1, form="rewrite", again=True, changes=[longer, refused])
    (one,) = (await revise(grounding(tried), context))["parts"]
    assert model.asked[0]["text"] == now
    assert [(each["start"], each["before"]) for each in one["proposed"]] == [(text.index("closed"), "closed")]


async def test_a_reply_that_names_nothing_readable_becomes_a_rewriting() -> None:
    _, context = naming(ModelError("no object"))
    (one,) = (await revise(grounding(part()), context))["parts"]
    assert (one["form"], [each["after"] for each in one["proposed"]], one["failed"]) == ("fallback", ["1934"], "")


async def test_a_reply_without_structure_is_asked_for_once_more() -> None:
    chat = FakeChatModel(replies=["I cannot tell.", "I cannot tell.", RIGHT])
    (one,) = (await revise(grounding(part()), Context(model=chat, cache=False)))["parts"]
    assert (one["form"], len(one["proposed"]), len(chat.asked)) == ("fallback", 1, 3)


async def test_a_model_that_is_down_is_told_for_its_passage() -> None:
    _, context = writing(ModelError("it is down"))
    update = await revise(grounding(part()), context)
    assert update["failures"] == [{"step": "revise", "reason": "it is down", "unchecked": True}]
    again = part(**AGAIN, changes=[REFUSED])
    _, context = naming(NAMED, again=Scripted(ModelError("it is down")))
    assert (await revise(grounding(again), context))["failures"] == [], "what was made of the first try is still made"


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


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        ({}, False),
        ({"model": "openai:gpt-6"}, True),
        ({"model": "openai:qwen2.5-1.5b-instruct"}, False),
        ({"model": "ollama:llama3.2:3b"}, False),
        ({"model": "ollama:qwen3:32b"}, True),
        ({"model": FakeChatModel(replies=[""])}, True),
        ({"model": "openai:gpt-6", "form": "rewrite"}, False),
        ({"model": "openai:qwen2.5-1.5b-instruct", "form": "structured"}, True),
        ({"backends": {"revise": Scripted({"text": ""})}}, False),
        ({"backends": {"ground": Scripted({"changes": []})}}, True),
    ],
)
async def test_a_small_model_writes_the_passage_again(settings: dict[str, Any], expected: bool) -> None:
    assert await is_structured(Context(**settings)) is expected
