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
