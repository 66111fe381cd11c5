"""What grounding begins with."""

from typing import Any

import pytest
from langgraph.types import Overwrite

from errata.nodes.ground.begin import begin
from errata.state import Context
from errata.state.errors import ConfigurationError


async def test_nothing_of_an_earlier_run_is_left_and_references_are_read() -> None:
    given: Any = {"text": "It is red.", "references": ["It is blue.", " "], "parts": ["old"], "cited": "old"}
    update = await begin(given, Context())
    assert (update["references"], update["parts"], update["cited"]) == (["It is blue."], [], "")
    assert update["found"] == Overwrite([])


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"text": "It is red.", "references": [" "]}, "the references are empty"),
        ({"text": "It is red.", "references": "It is blue."}, "references must be a list of texts"),
        ({"text": ""}, "there is nothing to check"),
    ],
)
async def test_what_cannot_be_grounded_is_refused(given: Any, said: str) -> None:
    with pytest.raises(ConfigurationError, match=said):
        await begin(given, Context())
