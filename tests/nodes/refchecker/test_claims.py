"""A response is taken apart: each claim once, with the sentences that make it."""

from typing import Any

from langchain_core.runnables import RunnableLambda

from errata.nodes.refchecker.claims import extract
from errata.state import Context
from errata.state.errors import ModelError

from ...fakes import FakeChatModel, Scripted
from .states import TEXT, response


def triplet(subject: str, predicate: str, value: str, *sentences: int) -> dict[str, Any]:
    return {"subject": subject, "predicate": predicate, "object": value, "sentences": [*sentences]}


async def test_claims_are_numbered_in_the_order_of_the_text() -> None:
    said = {"claims": [triplet("The tower", "was  built in", "1889", 1), triplet("It", "is", "red", 2)]}
    update = await extract(response(statements=[]), Context(backends={"extract": Scripted(said)}))
    assert [(one["id"], one["content"], one["sentences"]) for one in update["statements"]] == [
        ("c1", "The tower was built in 1889", [1]),
        ("c2", "It is red", [2]),
    ]
    assert update["sentences"] == [[0, 28], [29, 39]]
    assert update["quorum"] == {"passages": {"asked": 1, "had": 1}}


async def test_the_same_claim_is_kept_once_with_all_its_sentences() -> None:
    said = {"claims": [triplet("The tower", "is", "red", 1), triplet("the tower", "is", "red.", 2)]}
    update = await extract(response(), Context(backends={"extract": Scripted(said)}))
    assert [one["sentences"] for one in update["statements"]] == [[1, 2]]


async def test_subsentences_are_claims_in_their_own_words() -> None:
    said = {"claims": [{"content": "The tower  is red.", "sentences": [2]}]}
    context = Context(claim_format="subsentence", backends={"extract_subsentences": Scripted(said)})
    (one,) = (await extract(response(), context))["statements"]
    assert (one["content"], one["object"]) == ("The tower is red.", "")


LONG = " ".join(f"Tower {number} was built in {1800 + number} and is a very tall one." for number in range(30))


async def test_sentences_are_counted_through_all_passages() -> None:
    async def first(given: Any) -> Any:
        return {"claims": [triplet("It", "says", given["sentences"][0][:9], 1)]}

    context = Context(backends={"extract": RunnableLambda(first)}, passage_chars=200)
    update = await extract(response(text=LONG), context)
    firsts = [one["sentences"][0] for one in update["statements"]]
    assert len(firsts) > 3
    assert firsts == sorted(set(firsts))
    for one in update["statements"]:
        start, end = update["sentences"][one["sentences"][0] - 1]
        assert LONG[start:end].startswith(one["object"])


async def test_a_passage_that_fails_is_told_and_the_others_are_kept() -> None:
    async def fails_on_the_first(given: Any) -> Any:
        if "Tower 0 " in given["sentences"][0]:
            raise ModelError("it is down")
        return {"claims": [triplet("It", "says", given["sentences"][0], 1)]}

    context = Context(backends={"extract": RunnableLambda(fails_on_the_first)}, passage_chars=200)
    update = await extract(response(text=LONG), context)
    assert [(each["step"], each["unchecked"]) for each in update["failures"]] == [("extract", True)]
    count = update["quorum"]["passages"]
    assert (count["asked"] - count["had"], len(update["statements"])) == (1, count["had"])


async def test_what_the_budget_does_not_reach_is_told() -> None:
    model = FakeChatModel(replies=['{"claims": []}'])
    context = Context(model=model, passage_chars=200, max_calls=2, cache=False, backends={"extract": "chat"})
    update = await extract(response(text=LONG), context)
    assert (update["spent"], len(model.asked)) == (True, 2)


async def test_a_claim_of_what_stands_before_a_passage_is_none_of_it() -> None:
    async def looks_back(given: Any) -> Any:
        back = "Tower 0" if given.get("before") else given["sentences"][0]
        return {"claims": [triplet("It", "says", back, 1)]}

    context = Context(backends={"extract": RunnableLambda(looks_back)}, passage_chars=200)
    assert len((await extract(response(text=LONG), context))["statements"]) <= 2
    assert (await extract(response(text=TEXT), context))["statements"]


async def test_sentences_and_responses_are_claims_without_a_model() -> None:
    backends = {name: Scripted(AssertionError("not needed")) for name in ("extract", "extract_subsentences")}
    by_sentence = await extract(response(), Context(claim_format="sentence", backends=backends))
    assert [(one["content"], one["sentences"]) for one in by_sentence["statements"]] == [
        ("The tower was built in 1889.", [1]),
        ("It is red.", [2]),
    ]
    (whole,) = (await extract(response(), Context(claim_format="response", backends=backends)))["statements"]
    assert (whole["content"], whole["sentences"]) == (TEXT, [1, 2])


async def test_claims_of_ones_own_are_checked_instead_and_stand_where_their_words_are() -> None:
    backends = {"extract": Scripted(AssertionError("not needed"))}
    own = ["The thing is red.", ["The tower", "was built in", "1888"], "The thing is red."]
    update = await extract(response(own_claims=own), Context(backends=backends))
    assert [(one["id"], one["content"], one["object"], one["sentences"]) for one in update["statements"]] == [
        ("c1", "The thing is red.", "", [2]),
        ("c2", "The tower was built in 1888", "1888", [1]),
    ]
