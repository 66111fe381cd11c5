"""What each sentence rests on, what is left wrong, and the text with its sources."""

from typing import Any

import pytest

from errata.nodes.ground.apply import apply
from errata.nodes.ground.conclude import conclude
from errata.state import Context
from errata.tools import evidence

from ..states import failure
from .states import PAGE, TEXT, YEAR, change, grounding, part


async def ended(*parts: Any, context: Context | None = None, **fields: Any) -> dict[str, Any]:
    settings = context or Context()
    state = grounding(*parts, **fields)
    return await conclude(state | await apply(state, settings), settings)


def statuses(result: dict[str, Any]) -> list[str]:
    return [each["status"] for each in result["attribution"]]


async def test_a_corrected_sentence_quotes_what_it_was_corrected_by() -> None:
    result = await ended(part(tries=1, changes=[change("1931", "1934", YEAR)]))
    first, second = result["attribution"]
    assert (first["sentence"], first["status"]) == ("The Sora Bridge was opened in 1934.", "corrected")
    assert (first["quote"], first["evidence"]) == ("The Sora Bridge was opened in 1934.", [PAGE["id"]])
    assert (second["status"], result["status"], result["stopped"]) == ("checked", "corrected", "finished")


async def test_the_text_is_told_with_its_sources() -> None:
    result = await ended(part(tries=1, changes=[change("1931", "1934", YEAR)]))
    text, _, listed = result["cited"].partition("\n\n")
    assert text == "The Sora Bridge was opened in 1934. [1] The Sora Bridge is made of granite. [1]"
    assert listed == "[1] Sora Bridge · reference 1"


async def test_what_a_model_left_wrong_is_told_of() -> None:
    result = await ended(part(tries=1))
    (left,) = result["unresolved"]
    assert (left["sentence"], left["left"]) == ("The Sora Bridge was opened in 1931.", "no correction was proposed")
    assert (result["status"], result["verdicts"][0]["label"]) == ("unresolved", "contradiction")


async def test_a_correction_that_is_only_annotated_is_unresolved() -> None:
    changed = part(tries=1, changes=[change("1931", "1934", YEAR)])
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


def label(status: str, **fields: Any) -> Any:
    return {"sentence": 0, "status": status, "evidence": PAGE["id"], "quote": PAGE["text"][:35], **fields}


REFUSED = change("1931", "1934", YEAR, refused="The page is about another bridge.", why="It was later.")


async def test_a_sentence_whose_correction_was_refused_is_contradicted() -> None:
    result = await ended(part(tries=2, changes=[REFUSED], labels=[label("unresolved")]))
    (left,) = result["unresolved"]
    assert (left["sentence"], left["left"]) == (TEXT[:35], "The page is about another bridge.")
    assert left["reason"].splitlines()[1:] == ["It was later.", f"Evidence: {REFUSED['quote']}"]
    assert result["attribution"][0]["evidence"] == [PAGE["id"]]
    assert (result["status"], result["verdicts"][0]["label"]) == ("unresolved", "contradiction")


@pytest.mark.parametrize("status", ["checked", "disputed"])
async def test_a_model_may_take_back_what_it_proposed(status: str) -> None:
    result = await ended(part(tries=2, changes=[REFUSED], labels=[label(status)]))
    assert result["attribution"][0]["status"] == status
    assert result["unresolved"] == []


OTHER = evidence(query="", text="The Sora Bridge was opened in 1931.", title="Sora Bridge", source="reference 2")


async def test_where_sources_disagree_both_are_shown() -> None:
    disputed = {**REFUSED, "status": "disputed", "refused": "Other evidence supports the sentence as it stands."}
    shown = [PAGE["id"], OTHER["id"]]
    said = label("disputed", evidence=OTHER["id"], quote=OTHER["text"])
    result = await ended(part(tries=1, changes=[disputed], labels=[said], shown=shown), evidence=[PAGE, OTHER])
    first = result["attribution"][0]
    assert (first["status"], first["evidence"], first["quote"]) == (
        "disputed",
        [OTHER["id"], PAGE["id"]],
        OTHER["text"],
    )
    sides = [(each["label"], each["evidence"]) for each in result["verdicts"] if each["question"] == first["sentence"]]
    assert sides == [("entailment", OTHER["id"]), ("contradiction", PAGE["id"])]
    assert (result["status"], result["unresolved"]) == ("unchanged", [])


async def test_support_counts_more_than_contradiction_where_nobody_labelled_a_sentence() -> None:
    result = await ended(part(tries=1, shown=[PAGE["id"], OTHER["id"]]), evidence=[PAGE, OTHER])
    assert result["attribution"][0]["status"] == "disputed"


async def test_no_rule_overrules_the_label_of_a_model() -> None:
    assert statuses(await ended(part(tries=1, labels=[label("checked"), label("nothing found", sentence=1)]))) == [
        "checked",
        "nothing found",
    ]


async def test_sentences_that_were_joined_are_one() -> None:
    joined = change("1931. The Sora Bridge is", "1934 and is", YEAR)
    result = await ended(part(tries=1, changes=[joined]))
    (one,) = result["attribution"]
    assert (one["sentence"], one["status"]) == (
        "The Sora Bridge was opened in 1934 and is made of granite.",
        "corrected",
    )
