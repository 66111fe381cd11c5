"""From what passages say of claims to what they say of the response."""

from typing import Any

from errata.nodes.refchecker.aggregate import aggregate
from errata.state import Context, Label

from ..states import verdict
from .states import BUILT, DENIES, RED, SAYS, response


def said(claim: Any, label: Label, passage: Any, reason: str = "") -> dict[str, Any]:
    return {"claim": claim["id"], "verdict": verdict(label, passage["id"], reason)}


async def summed(*checked: Any, **fields: Any) -> dict[str, Any]:
    return await aggregate(response(checked=[*checked], **fields), Context())


async def test_support_by_one_passage_is_enough_and_who_denies_it_is_told() -> None:
    update = await summed(said(BUILT, "contradiction", DENIES), said(BUILT, "entailment", SAYS, "so it says"))
    merged = update["verdict_of"]["c1"]
    assert (merged["label"], merged["evidence"]) == ("entailment", SAYS["id"])
    assert merged["reason"] == "so it says (1 of 2 passages contradict it)"


async def test_of_passages_that_agree_the_first_decides_whichever_was_asked_first() -> None:
    update = await summed(said(RED, "contradiction", DENIES, "late"), said(RED, "contradiction", SAYS, "early"))
    assert (update["verdict_of"]["c2"]["evidence"], update["verdict_of"]["c2"]["reason"]) == (SAYS["id"], "early")


async def test_what_nobody_found_anything_for_is_neutral_and_rests_on_nothing() -> None:
    update = await summed(said(BUILT, "neutral", SAYS, "it does not say"))
    built, red = update["verdict_of"]["c1"], update["verdict_of"]["c2"]
    assert (built["label"], built["evidence"], built["reason"]) == ("neutral", "", "it does not say")
    assert (red["label"], red["reason"]) == ("neutral", "the search found nothing")


async def test_the_response_is_as_good_as_its_worst_claim() -> None:
    update = await summed(said(BUILT, "entailment", SAYS), said(RED, "contradiction", SAYS))
    assert (update["strict"], update["errors"], update["tied"]) == ("contradiction", 0, True)
    assert update["distribution"]["entailment"] == 0.5


async def test_a_passage_that_could_not_be_taken_apart_may_hold_anything() -> None:
    lost = {"passages": {"asked": 2, "had": 1}}
    update = await summed(said(BUILT, "entailment", SAYS), said(RED, "entailment", SAYS), quorum=lost)
    assert (update["strict"], update["major"]) == ("error", "error")
