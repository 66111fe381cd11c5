"""Where a claim is made, where it is decided, and what the run came to."""

from typing import Any

import pytest

from errata.nodes.refchecker.localise import best_span, localise
from errata.state import Context, Label
from errata.tools import evidence

from ..states import failure, verdict
from .states import BUILT, DENIES, RED, SAYS, TEXT, claim, response


async def placed(first: Label = "entailment", second: Label = "neutral", **fields: Any) -> dict[str, Any]:
    said = {"c1": verdict(first, SAYS["id"]), "c2": verdict(second, DENIES["id"], "it is down")}
    return await localise(response(**{"verdict_of": said, **fields}), Context())


async def test_a_claim_stands_where_its_value_is_and_is_decided_by_a_quote() -> None:
    built, red = (await placed())["claims"]
    assert [TEXT[one["start"] : one["end"]] for one in (built, red)] == ["1889", "red"]
    assert built["quote"] == "The tower was built in 1889."


@pytest.mark.parametrize(
    ("text", "parts", "against", "wrong"),
    [
        ("The tower was sold in 1889.", ("The tower", "was sold in", "1889"), "It was built in 1889.", "sold in 1889"),
        ("The tower is not a museum.", ("The tower", "is not", "a museum"), "The tower is a museum.", "not a museum"),
        ("Lyon is the capital.", ("Lyon", "is", "the capital"), "Paris is the capital.", "Lyon is the capital"),
        ("The tower was built in 1899.", ("The tower", "was built in", "1899"), "It was built in 1889.", "1899"),
    ],
)
async def test_the_span_of_a_contradicted_claim_covers_what_is_wrong(
    text: str, parts: tuple[str, str, str], against: str, wrong: str
) -> None:
    piece = evidence(query="", text=against)
    statement = claim(1, *parts, 1)
    fields: Any = {"text": text, "sentences": [[0, len(text)]], "statements": [statement], "evidence": [piece]}
    said = {"c1": verdict("contradiction", piece["id"])}
    (found,) = (await localise(response(**fields, verdict_of=said), Context()))["claims"]
    assert text[found["start"] : found["end"]] == wrong


async def test_a_whole_response_is_its_own_span() -> None:
    statement: Any = {**RED, "content": TEXT, "object": "", "subject": "", "predicate": "", "sentences": [1, 2]}
    (found,) = (await localise(response(statements=[statement], verdict_of={"c2": verdict("neutral", "")}), Context()))[
        "claims"
    ]
    assert TEXT[found["start"] : found["end"]] == TEXT


async def test_a_claim_in_other_words_stands_where_its_sentence_is() -> None:
    other = {**RED, "content": "Nothing of the kind", "object": "crimson", "subject": "", "predicate": ""}
    found = (await placed(statements=[BUILT, other]))["claims"][1]
    assert TEXT[found["start"] : found["end"]] == "It is red."


@pytest.mark.parametrize(
    ("labels", "status", "reason"),
    [
        (("entailment", "entailment"), "checked", "2 claims: 2 supported"),
        (("entailment", "neutral"), "unchanged", "2 claims: 1 supported, 1 undecided"),
        (("neutral", "contradiction"), "unresolved", "2 claims: 1 contradicted, 1 undecided"),
    ],
)
async def test_what_claims_come_to(labels: tuple[Label, Label], status: str, reason: str) -> None:
    result = await placed(*labels)
    assert (result["status"], result["stopped"], result["reason"]) == (status, "finished", reason)


async def test_a_claim_that_is_contradicted_is_told_of_with_its_sentence() -> None:
    (left,) = (await placed("contradiction"))["unresolved"]
    assert (left["sentence"], left["question"]) == ("The tower was built in 1889.", BUILT["content"])
    assert left["left"] == "claims are checked and not corrected"


async def test_an_error_is_a_failure_told_once() -> None:
    result = await placed("entailment", "error")
    assert [each["reason"] for each in result["failures"]] == ["it is down"]
    assert (result["stopped"], result["status"]) == ("error", "unchanged")
    assert result["quorum"] == {"claims": {"asked": 2, "had": 1}}
    known = await placed("entailment", "error", failures=[failure("it is down")])
    assert known["failures"] == []


@pytest.mark.parametrize(
    ("fields", "stopped", "reason"),
    [
        ({"statements": []}, "finished", "the response makes no claim"),
        ({"spent": True}, "budget", "the budget of model calls is spent; 2 claims: 1 supported, 1 undecided"),
        ({"text": "", "statements": [], "sentences": []}, "budget", "the budget of model calls is spent; no claim"),
    ],
)
async def test_each_end_has_its_name(fields: Any, stopped: str, reason: str) -> None:
    result = await placed(**fields)
    assert result["stopped"] == stopped
    assert result["reason"].startswith(reason)


@pytest.mark.parametrize(
    ("words", "found"),
    [("1889", "1889"), ("built 1889", "built in 1889"), ("the RED tower", "tower"), ("巴黎", ""), ("", "")],
)
def test_the_stretch_that_holds_most_of_some_words(words: str, found: str) -> None:
    best = best_span(words, TEXT, (0, len(TEXT)))
    assert (TEXT[slice(*best[1:])] if best else "") == found
