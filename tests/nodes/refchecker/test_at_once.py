"""One call for the claims of a short response and what a reference says of them."""

from typing import Any

import pytest

from errata.nodes.refchecker.at_once import extract_and_check, is_short
from errata.state import Context

from ...fakes import FakeChatModel, Scripted, always
from .states import TEXT, response

GIVEN: dict[str, Any] = {"text": TEXT, "references": ["The tower was built in 1889. It opened in May."]}


def claim(object_: str, label: str, reason: str = "", sentence: int = 1) -> dict[str, Any]:
    parts = {"subject": "The tower", "predicate": "was built in", "object": object_, "sentences": [sentence]}
    return {**parts, "label": label, "reason": reason}


RED = claim("red", "not stated", sentence=2) | {"predicate": "is"}


def asking(**settings: Any) -> Context:
    return Context(**{"model": FakeChatModel(replies=[""]), "checking": "at_once", **settings})


@pytest.mark.parametrize(
    ("settings", "given"),
    [
        ({"checking": "joint"}, {}),
        ({"claim_format": "subsentence"}, {}),
        ({"checkers": "chat,rules"}, {}),
        ({"backends": {"check": "rules"}}, {}),
        ({"model": "embedded"}, {}),
        ({"joint_tokens": 5}, {}),
        ({}, {"references": ["The tower was built in 1889. " * 2000]}),
        ({}, {"references": ["One.", "Two."]}),
        ({}, {"references": []}),
        ({}, {"own_claims": ["The tower was built in 1889."]}),
    ],
)
def test_nothing_else_is_asked_about_in_one_call(settings: dict[str, Any], given: dict[str, Any]) -> None:
    assert is_short(response(**GIVEN), asking())
    assert not is_short(response(**(GIVEN | given)), asking(**settings))


def answering(reply: Any) -> Context:
    return Context(backends={"extract_and_check": always(reply)})


async def test_each_claim_has_its_label_and_the_reference_as_evidence() -> None:
    claims = [claim("1889", "supported", "Built in 1889."), RED, claim("1889.", "contradicted")]
    update = await extract_and_check(response(**GIVEN), answering({"claims": claims}))
    assert [each["content"] for each in update["statements"]] == [
        "The tower was built in 1889",
        "The tower is red",
    ]
    assert [(each["claim"], each["verdict"]["label"]) for each in update["checked"]] == [
        ("c1", "entailment"),
        ("c2", "neutral"),
        ("c1", "contradiction"),
    ]
    (passage,) = update["evidence"]
    assert {each["verdict"]["evidence"] for each in update["checked"]} == {passage["id"]}
    assert update["sentences"] == [[0, 28], [29, 39]]


async def test_what_only_the_reference_says_is_no_claim_of_the_response() -> None:
    claims = [claim("1889", "supported"), claim("May", "supported"), RED]
    update = await extract_and_check(response(**GIVEN), answering({"claims": claims}))
    assert [each["object"] for each in update["statements"]] == ["1889", "red"]


@pytest.mark.parametrize(
    ("text", "claims"),
    [
        (TEXT, [RED]),  # a number is in no claim
        (TEXT, [claim("1889", "supported")]),  # a third of the words
        ("The tower was built in 1889 by Ann.", [claim("1889", "supported")]),  # a name
        (TEXT, [claim("1888", "supported"), RED]),  # one that is not the response's stands for its own
    ],
)
async def test_if_something_of_the_response_is_in_no_claim_it_is_asked_again(
    text: str, claims: list[dict[str, Any]]
) -> None:
    given = GIVEN | {"text": text, "sentences": [[0, len(text)]]}
    assert await extract_and_check(response(**given), answering({"claims": claims})) == {}


async def test_the_question_and_the_title_are_given_too() -> None:
    asked = Scripted({"claims": []})
    given = {"text": TEXT, "question": "Who?", "references": [{"text": "Built in 1889.", "title": "Tower"}]}
    await extract_and_check(response(**given), Context(backends={"extract_and_check": asked}))
    (one,) = asked.asked
    assert (one["question"], one["title"], one["evidence"]) == ("Who?", "Tower", "Built in 1889.")
    assert one["sentences"] == ["The tower was built in 1889.", "It is red."]


async def test_nothing_is_known_if_the_call_fails() -> None:
    assert await extract_and_check(response(**GIVEN), answering(RuntimeError("down"))) == {}
