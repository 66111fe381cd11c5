"""Claims against passages: what is asked about what, and what is said of it."""

from typing import Any

import pytest

from errata.nodes.refchecker.checking import check, queries, references
from errata.state import Context
from errata.state.errors import ModelError

from ...fakes import FakeChatModel, Scripted
from .states import BUILT, RED, SAYS, TEXT, claim, response


def asking(**settings: Any) -> Context:
    return Context(model=FakeChatModel(replies=[""]), backends={"check": "chat"}, **settings)


def test_a_sentence_is_searched_for_with_what_it_is_about() -> None:
    found = queries(response(question="Who built the tower?"))
    assert [(each["number"], each["text"]) for each in found] == [
        (1, "Who built the tower? The tower was built in 1889."),
        (2, "Who built the tower? The tower It is red."),
    ]
    assert queries(response(statements=[])) == []


async def test_every_claim_is_checked_against_every_reference() -> None:
    update = await references(response(references=["It is red.", "Built in 1889."]), asking(joint_size=5))
    sources = [piece["source"] for piece in update["evidence"]]
    assert sources == ["reference 1", "reference 2"]
    assert [job["claims"] for job in update["jobs"]] == [["c1", "c2"], ["c1", "c2"]]


@pytest.mark.parametrize(("settings", "jobs"), [({"joint_size": 1}, 2), ({"checking": "single"}, 2), ({}, 1)])
async def test_claims_are_packed_as_the_settings_say(settings: Any, jobs: int) -> None:
    update = await references(response(references=["It is red."]), asking(**settings))
    assert len(update["jobs"]) == jobs


async def test_what_was_found_for_a_sentence_is_for_its_claims_alone() -> None:
    found = [{"question": {"number": 2, "text": "?", "passage": 0}, "evidence": [SAYS], "failed": ""}]
    update = await references(response(found=found), asking())
    assert [job["claims"] for job in update["jobs"]] == [["c2"]]


async def test_a_search_that_failed_is_an_error_of_its_claims() -> None:
    found = [{"question": {"number": 1, "text": "?", "passage": 0}, "evidence": [], "failed": "it is down"}]
    update = await references(response(found=found), asking())
    (lost,) = update["checked"]
    assert (lost["claim"], lost["verdict"]["label"], lost["verdict"]["reason"]) == ("c1", "error", "it is down")


async def test_what_the_budget_does_not_reach_is_an_error_too() -> None:
    update = await references(response(references=["It is red.", "Built in 1889."]), asking(max_calls=1))
    assert len(update["jobs"]) == 1
    assert {each["verdict"]["reason"] for each in update["checked"]} == {"the budget of model calls is spent"}
    assert update["spent"]


async def test_a_verdict_is_of_the_claim_and_the_passage() -> None:
    checker = Scripted({"judgements": [{"claim": 1, "reason": "so it says", "label": "entailment"}]})
    asked: Any = {"claims": [BUILT], "passage": SAYS, "question": "When?"}
    (one,) = (await check(asked, Context(backends={"check": checker})))["checked"]
    assert (one["claim"], one["verdict"]["label"], one["verdict"]["evidence"]) == ("c1", "entailment", SAYS["id"])
    assert checker.asked[0]["claims"] == [BUILT["content"]]
    assert (checker.asked[0]["title"], checker.asked[0]["evidence"]) == ("Tower", SAYS["text"])


async def test_a_checker_that_is_down_gives_no_verdict_on_any_claim() -> None:
    asked: Any = {"claims": [BUILT, RED], "passage": SAYS, "question": ""}
    update = await check(asked, Context(backends={"check": Scripted(ModelError("it is down"))}))
    assert [(one["verdict"]["label"], one["verdict"]["reason"]) for one in update["checked"]] == [
        ("error", "it is down")
    ] * 2


async def test_rules_read_short_passages_and_all_claims_at_once() -> None:
    many = [claim(number, "It", "is", str(number), 1) for number in range(1, 9)]
    long = " ".join(f"Sentence {number} says something of the tower." for number in range(400))
    update = await references(response(text=TEXT, statements=many, references=[long]), Context())
    assert len(update["jobs"]) > 1
    assert all(len(job["claims"]) == 8 for job in update["jobs"])
    assert update["evidence"][0]["source"].startswith("reference 1, part 1 of ")
