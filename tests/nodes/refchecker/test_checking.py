"""Claims against passages: what is asked about what, and what is said of it."""

from typing import Any

import pytest

from errata.nodes.refchecker.checking import check, queries, references, voted
from errata.state import Context
from errata.state.errors import ModelError
from errata.state.text.segments import token_count

from ...fakes import FakeChatModel, Scripted
from .states import BUILT, RED, SAYS, TEXT, claim, response


def asking(**settings: Any) -> Context:
    return Context(model=FakeChatModel(replies=[""]), backends={"check": "chat"}, **settings)


def test_a_sentence_is_searched_for_with_what_it_is_about() -> None:
    found = queries(response(question="Who built the tower?"), Context())
    assert [(each["number"], each["text"]) for each in found] == [
        (1, "Who built the tower? The tower was built in 1889."),
        (2, "Who built the tower? The tower It is red."),
    ]
    assert queries(response(statements=[]), Context()) == []


def test_all_sentences_of_a_response_that_is_one_claim_are_searched_for() -> None:
    whole: Any = {**RED, "content": TEXT, "subject": "", "sentences": [1, 2]}
    found = queries(response(statements=[whole]), Context(claim_format="response"))
    assert [each["text"] for each in found] == ["The tower was built in 1889.", "It is red."]


@pytest.mark.parametrize(
    ("labels", "label", "reason"),
    [
        (["entailment", "contradiction", "entailment"], "entailment", "0"),
        (["entailment", "contradiction"], "neutral", "the checkers disagree: 1 entailment, 1 contradiction"),
        (["contradiction", "error", "contradiction"], "contradiction", "0"),
        (["entailment", "error"], "error", "1"),
        (["error", "entailment", "contradiction"], "error", "0"),
        (["neutral"], "neutral", "0"),
    ],
)
def test_more_than_half_of_the_checkers_decide(labels: list[Any], label: str, reason: str) -> None:
    assert voted([(each, str(number)) for number, each in enumerate(labels)]) == (label, reason)


async def test_several_checkers_are_asked_and_paid_for() -> None:
    reply = '{"judgements": [{"claim": 1, "label": "contradicted", "reason": "so it says"}]}'
    model = FakeChatModel(replies=[reply])
    context = Context(model=model, checkers="chat, rules", cache=False, max_calls=3)
    asked: Any = {"claims": [BUILT], "passage": SAYS, "question": ""}
    (one,) = (await check(asked, context))["checked"]
    assert (one["verdict"]["label"], one["verdict"]["backend"]) == ("neutral", "chat+rules")
    assert one["verdict"]["reason"] == "the checkers disagree: 1 contradiction, 1 entailment"
    assert len(model.asked) == 1
    texts = [f"It is red {number}." for number in range(4)]
    for names, jobs in (("chat,rules", 3), ("chat,chat", 1)):
        settings = context.model_copy(update={"checkers": names})
        assert len((await references(response(references=texts), settings))["jobs"]) == jobs


async def test_every_claim_is_checked_against_every_reference() -> None:
    update = await references(response(references=["It is red.", "Built in 1889."]), asking(joint_size=5))
    sources = [piece["source"] for piece in update["evidence"]]
    assert sources == ["reference 1", "reference 2"]
    assert [job["claims"] for job in update["jobs"]] == [["c1", "c2"], ["c1", "c2"]]


@pytest.mark.parametrize(("settings", "jobs"), [({"joint_size": 1}, 2), ({"checking": "single"}, 2), ({}, 1)])
async def test_claims_are_packed_as_the_settings_say(settings: Any, jobs: int) -> None:
    update = await references(response(references=["It is red."]), asking(**settings))
    assert len(update["jobs"]) == jobs


async def test_a_call_has_as_many_claims_as_fit() -> None:
    statements = [{**claim, "id": f"c{n}"} for n, claim in enumerate(response()["statements"] * 4, start=1)]
    given = {"statements": statements, "references": ["It is red."]}
    for settings, sizes in (({}, [8]), ({"joint_tokens": 1}, [1] * 8), ({"joint_size": 3}, [3, 3, 2])):
        update = await references(response(**given), asking(**settings))
        assert [len(job["claims"]) for job in update["jobs"]] == sizes
    half = sum(token_count(claim["content"]) for claim in statements) // 2
    update = await references(response(**given), asking(joint_tokens=half))
    assert [len(job["claims"]) for job in update["jobs"]] == [4, 4]


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
