"""What each sentence rests on, what is left wrong, and the text with its sources."""

from typing import Any

import pytest

from errata.nodes.ground.apply import apply
from errata.nodes.ground.conclude import conclude
from errata.state import Context

from ..states import failure
from .states import PAGE, RIGHT, TEXT, YEAR, change, grounding, part


async def ended(*parts: Any, context: Context | None = None, **fields: Any) -> dict[str, Any]:
    settings = context or Context()
    state = grounding(*parts, **fields)
    return await conclude(state | await apply(state, settings), settings)


def statuses(result: dict[str, Any]) -> list[str]:
    return [each["status"] for each in result["attribution"]]


async def test_a_corrected_sentence_quotes_what_it_was_corrected_by() -> None:
    result = await ended(part(tries=1, revised=RIGHT, changes=[change("1931", "1934", YEAR)]))
    first, second = result["attribution"]
    assert (first["sentence"], first["status"]) == ("The Sora Bridge was opened in 1934.", "corrected")
    assert (first["quote"], first["evidence"]) == ("The Sora Bridge was opened in 1934.", [PAGE["id"]])
    assert (second["status"], result["status"], result["stopped"]) == ("checked", "corrected", "finished")


async def test_the_text_is_told_with_its_sources() -> None:
    result = await ended(part(tries=1, revised=RIGHT, changes=[change("1931", "1934", YEAR)]))
    text, _, listed = result["cited"].partition("\n\n")
    assert text == "The Sora Bridge was opened in 1934. [1] The Sora Bridge is made of granite. [1]"
    assert listed == "[1] Sora Bridge · reference 1"


async def test_what_a_model_left_wrong_is_told_of() -> None:
    result = await ended(part(tries=1, revised=TEXT))
    (left,) = result["unresolved"]
    assert (left["sentence"], left["left"]) == ("The Sora Bridge was opened in 1931.", "no correction was proposed")
    assert (result["status"], result["verdicts"][0]["label"]) == ("unresolved", "contradiction")


async def test_a_correction_that_is_only_annotated_is_unresolved() -> None:
    changed = part(tries=1, revised=RIGHT, changes=[change("1931", "1934", YEAR)])
    result = await ended(changed, context=Context(mode="annotate"))
    assert result["unresolved"][0]["left"] == "the text was annotated, not corrected"


async def test_what_failed_and_what_was_not_reached_is_not_checked() -> None:
    assert statuses(await ended(part(tries=1, failed="it is down"))) == ["not checked"] * 2
    result = await ended(part())
    assert statuses(result) == ["not checked"] * 2
    assert result["stopped"] == "budget"


async def test_a_sentence_without_evidence_was_looked_up_in_vain_unless_something_failed() -> None:
    assert statuses(await ended(part(shown=[]))) == ["nothing found"] * 2
    result = await ended(part(shown=[]), failures=[failure("the search is down")])
    assert statuses(result) == ["not checked"] * 2
    assert (result["stopped"], result["reason"]) == (
        "error",
        "some of the text is unchecked: research failed: the search is down",
    )


@pytest.mark.parametrize(("quote", "status"), [("opened in 1934", "checked"), ("opened by the king", "nothing found")])
async def test_a_model_is_taken_at_its_word_only_if_its_quote_stands_there(quote: str, status: str) -> None:
    text = "Ships pass the Sora Bridge."
    label = {"sentence": 0, "status": "checked", "evidence": PAGE["id"], "quote": quote}
    assert statuses(await ended(part(text, tries=1, revised=text, labels=[label]))) == [status]
