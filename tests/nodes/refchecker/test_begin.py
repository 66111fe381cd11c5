"""What a check of a response begins with."""

from typing import Any

import pytest
from langchain_core.documents import Document

from errata.nodes.refchecker.begin import begin
from errata.state import Context
from errata.state.errors import ConfigurationError


async def test_references_of_every_kind_are_read() -> None:
    page = Document("It is red.", metadata={"title": "Tower", "source": "https://t.org", "page": 3})
    given: Any = {"text": "It is red.", "references": ["It is.", {"text": "Red."}, page, " "], "errors": 3}
    update = await begin(given, Context())
    assert update["references"] == [
        "It is.",
        {"text": "Red."},
        {"text": "It is red.", "title": "Tower", "source": "https://t.org"},
    ]
    assert (update["errors"], update["claims"], update["strict"]) == (0, [], "error")


@pytest.mark.parametrize(
    ("references", "said"),
    [([" ", {"text": ""}], "the references are empty"), ([{"title": "Tower"}], "a reference")],
)
async def test_references_that_say_nothing_are_refused(references: Any, said: str) -> None:
    with pytest.raises(ConfigurationError, match=said):
        await begin({"text": "It is red.", "references": references}, Context())  # type: ignore[typeddict-item]


async def test_claims_of_ones_own_need_no_response() -> None:
    own: Any = ["It is red.", ["The tower", "is in", "Paris"]]
    alone: Any = {"own_claims": own}
    update = await begin(alone, Context())
    assert (update["text"], update["own_claims"]) == ("It is red.\nThe tower is in Paris", own)
    of_a_response: Any = {**alone, "text": "It is."}
    assert (await begin(of_a_response, Context()))["text"] == "It is."


@pytest.mark.parametrize(
    "claims", [["x", 3], [["a", "b"]], [["", "is", "red"]], [" "], "It is red.", [{"content": "x"}]]
)
async def test_a_claim_of_another_form_is_refused(claims: Any) -> None:
    with pytest.raises(ConfigurationError, match="claim"):
        await begin({"own_claims": claims}, Context())  # type: ignore[typeddict-item]


async def test_a_checker_that_does_not_exist_is_refused_before_anything_is_asked() -> None:
    with pytest.raises(ConfigurationError, match="no backend `nobody`"):
        await begin({"text": "It is red."}, Context(checkers="rules,nobody"))  # type: ignore[typeddict-item]
