"""What a correction begins with."""

from typing import Any

from langgraph.types import Overwrite

from errata.nodes.rarr.begin import begin
from errata.state import Context


async def test_nothing_of_an_earlier_run_is_left() -> None:
    old: Any = {"text": "It is red.", "question": " Why? ", "checks": ["old"], "edits": ["old"], "found": ["old"]}
    update = await begin(old, Context())
    assert (update["text"], update["original"], update["question"]) == ("It is red.", "It is red.", "Why?")
    assert [update[name] for name in ("checks", "edits", "questions", "proposals", "lost")] == [[]] * 5
    assert update["found"] == update["failures"] == Overwrite([])


async def test_a_question_alone_will_have_a_draft() -> None:
    given: Any = {"question": "Why is it red?", "text": "  "}
    assert (await begin(given, Context()))["text"] == ""
