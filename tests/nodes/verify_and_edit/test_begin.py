"""What the verification of a chain of thought begins with."""

from typing import Any

import pytest

from errata.nodes.verify_and_edit.begin import begin
from errata.state import Context
from errata.state.errors import ConfigurationError


async def test_samples_take_the_place_of_a_text() -> None:
    given: Any = {"question": "When?", "text": "In 1899.", "samples": ["In 1889.", " "], "sentences": ["old"]}
    update = await begin(given, Context())
    assert (update["text"], update["samples"], update["asked"]) == ("", ["In 1889."], 2)
    assert (update["sentences"], update["paths"], update["answer"]) == ([], [], "")


async def test_a_text_of_the_callers_own_is_verified_as_it_is() -> None:
    given: Any = {"question": "When?", "text": "In 1899."}
    update = await begin(given, Context(consistency="probability"))
    assert (update["text"], update["original"], update["mode"]) == ("In 1899.", "In 1899.", "probability")


async def test_a_search_in_paragraphs_needs_some() -> None:
    given: Any = {"question": "When?", "paragraphs": [" "]}
    with pytest.raises(ConfigurationError, match="give some"):
        await begin(given, Context(search="dataset"))
    given["paragraphs"] = ["Tower: built in 1889.", ""]
    assert (await begin(given, Context(search="dataset")))["paragraphs"] == ["Tower: built in 1889."]
