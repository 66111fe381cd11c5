"""What became of the sentences of a chain of thought, and why the run stopped."""

from errata.nodes.verify_and_edit.conclude import conclude
from errata.nodes.verify_and_edit.rationale import apply
from errata.state import Context

from ..states import failure
from .states import CHAIN, FOUND, chain, cut_up, verified


async def test_what_became_of_the_sentences_is_told() -> None:
    cut = await cut_up(found=[FOUND])
    first, second = cut["sentences"]
    checked = [verified(first, "the tower was built in 1889."), second | {"label": "neutral"}]
    now = cut | await apply(cut | {"checked": checked}, Context())
    result = await conclude(now, Context())
    assert [part["status"] for part in result["attribution"]] == ["corrected", "nothing found"]
    assert (result["stopped"], result["status"]) == ("finished", "corrected")
    assert result["reason"] == "2 sentences: 1 corrected, 1 nothing found"
    assert (await conclude(cut, Context()))["stopped"] == "budget", "nobody looked at a sentence"


async def test_what_a_person_kept_is_told_of() -> None:
    cut = await cut_up(found=[FOUND])
    kept = verified(cut["sentences"][0], cut["sentences"][0]["before"])
    result = await conclude(cut | {"sentences": [kept, *cut["sentences"][1:]]}, Context())
    (left,) = result["unresolved"]
    assert (left["sentence"], left["left"]) == ("the tower was built in 1899.", "a person rejected the correction")


async def test_a_failure_is_an_error_and_no_verdict() -> None:
    cut = await cut_up(failures=[failure("it is down")])
    lost = [each | {"label": "error", "reason": "it is down"} for each in cut["sentences"]]
    result = await conclude(cut | {"sentences": lost}, Context())
    assert (result["stopped"], result["status"]) == ("error", "not checked")
    assert result["quorum"] == {"sentences": {"asked": 2, "had": 0}}


async def test_samples_that_agree_are_accepted_and_nothing_was_looked_up() -> None:
    paths = [{"text": CHAIN, "answer": "1899", "logprob": None}] * 3
    result = await conclude(chain(paths=paths, asked=3, consistency=3.0), Context())
    assert (result["stopped"], result["status"]) == ("accepted", "not checked")
    assert "3 samples have a consistency of 3, not below 2, so nothing was looked up" in result["reason"]
