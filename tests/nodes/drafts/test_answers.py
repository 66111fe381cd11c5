"""Drafts by one call: at once, with a chain of thought, as a text goes on."""

from typing import Any

import pytest

from errata.nodes.drafts.answers import continuation, cot, direct, drafted
from errata.state import Context
from errata.state.errors import ModelError

from ...fakes import Scripted
from ..states import state

CHAIN = "It was built for a fair. So the answer is: 1889."


@pytest.mark.parametrize(
    ("step", "name", "said", "text", "answer"),
    [
        (direct, "draft", {"text": "In 1889."}, "In 1889.", "In 1889"),
        (cot, "cot", {"text": CHAIN, "answer": ""}, CHAIN, "1889"),
        (continuation, "continuation", {"text": "and so it went"}, "and so it went", ""),
    ],
)
async def test_what_a_model_says_is_the_text(step: Any, name: str, said: Any, text: str, answer: str) -> None:
    model = Scripted(said)
    update = await step(state(question="When?"), Context(backends={name: model}))
    assert (update["text"], update["original"], update["answer"]) == (text, text, answer)
    assert model.asked == [{"question": "When?"}]


@pytest.mark.parametrize(("step", "name"), [(direct, "draft"), (cot, "cot"), (continuation, "continuation")])
async def test_a_model_that_is_down_leaves_no_text(step: Any, name: str) -> None:
    update = await step(state(question="When?"), Context(backends={name: Scripted(ModelError("it is down"))}))
    assert "text" not in update
    assert update["failures"] == [{"step": "draft", "reason": "it is down", "unchecked": True}]


def test_whoever_streams_sees_the_draft(told: list[dict[str, Any]]) -> None:
    assert drafted("In 1889.", "1889", "2 of 3")["reason"] == "2 of 3"
    assert told == [{"step": "draft", "text": "In 1889."}]
