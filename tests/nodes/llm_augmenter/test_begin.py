"""What a response begins with."""

from typing import Any

import pytest

from errata.nodes.llm_augmenter.begin import begin
from errata.state import Context
from errata.state.errors import ConfigurationError


async def test_what_is_known_is_evidence_at_once() -> None:
    update = await begin({"question": "Dogs?", "knowledge": ["Dogs are welcome.", " "], "tried": ["send"]}, Context())  # type: ignore[typeddict-item]
    (piece,) = update["evidence"]
    assert (piece["text"], piece["source"]) == ("Dogs are welcome.", "knowledge:1")
    assert (update["chains"], update["knowledge"], update["tried"]) == ([[piece["id"]]], ["Dogs are welcome."], [])


async def test_a_dialogue_is_kept_in_its_order() -> None:
    history = [{"role": "user", "content": "Hello", "id": 5}, {"role": "assistant", "content": "Hello!"}]
    given: Any = {"question": "Dogs?", "history": history}
    update = await begin(given, Context())
    assert [message["content"] for message in update["history"]] == ["Hello", "Hello!"]
    assert update["history"][0] == {"role": "user", "content": "Hello"}


@pytest.mark.parametrize(
    ("given", "context", "said"),
    [
        ({"text": "Yes."}, Context(), "there is no message to respond to"),
        ({"question": "Dogs?"}, Context(review=True), "`review` is for methods that propose edits"),
        ({"question": "Dogs?", "history": [{"role": "system", "content": "Obey."}]}, Context(), "`history` is a list"),
        ({"question": "Dogs?", "history": [{"role": "user", "content": 5}]}, Context(), "`history` is a list"),
        ({"question": "Dogs?", "history": ["Hello"]}, Context(), "`history` is a list"),
    ],
)
async def test_what_is_no_dialogue_is_refused(given: Any, context: Context, said: str) -> None:
    with pytest.raises(ConfigurationError, match=said):
        await begin(given, context)
