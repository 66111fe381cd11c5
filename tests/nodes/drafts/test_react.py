"""ReAct: a turn is a search, an answer, or the end for want of one."""

from typing import Any

from errata.nodes.drafts.react import NO_ANSWER, react
from errata.state import Context
from errata.state.errors import ModelError

from ...fakes import Scripted
from ..states import loop


async def taken(said: Any) -> dict[str, Any]:
    return await react(loop(question="When was it built?"), Context(backends={"react": Scripted(said)}))


async def test_a_search_is_a_turn_and_no_draft_yet() -> None:
    update = await taken({"tool": "search", "argument": "tower"})
    assert set(update) == {"messages"}


async def test_a_conclusion_is_the_draft() -> None:
    text = "It was built in 1889. So the answer is: 1889."
    update = await taken({"tool": "conclude", "conclusion": {"text": text, "answer": "1889"}})
    assert (update["text"], update["answer"]) == (text, "1889")


async def test_an_empty_conclusion_says_what_to_do() -> None:
    update = await taken({"tool": "conclude", "conclusion": {"text": " "}})
    assert "text" not in update
    assert update["failures"] == [{"step": "draft", "reason": NO_ANSWER, "unchecked": True}]


async def test_a_model_that_is_down_is_a_failure() -> None:
    assert (await taken(ModelError("it is down")))["failures"][0]["reason"] == "it is down"
