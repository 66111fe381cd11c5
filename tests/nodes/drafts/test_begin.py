"""A draft begins with a question, and with nothing of an earlier run."""

from typing import Any

import pytest
from langgraph.types import Overwrite

from errata.nodes.drafts.begin import begin
from errata.state import Context
from errata.state.errors import ConfigurationError


async def test_it_begins_with_the_question_alone() -> None:
    given: Any = {"question": " When? ", "answer": "of another run", "gold": ["1889"], "messages": ["old"]}
    update = await begin(given, Context())
    assert (update["question"], update["text"], update["answer"], update["gold"]) == ("When?", "", "", ["1889"])
    assert update["messages"] == Overwrite([])


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"question": "When?", "text": "In 1889."}, "leave out the text"),
        ({"question": " "}, "give a question"),
        ({"question": None}, "give a question"),
        ({"question": "When?", "gold": "1889"}, "gold must be a list"),
    ],
)
async def test_what_cannot_be_drafted_is_refused(given: Any, said: str) -> None:
    with pytest.raises(ConfigurationError, match=said):
        await begin(given, Context())
