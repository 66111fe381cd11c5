"""Responses are asked for with what was wrong with the last one, and the best one is sent."""

from typing import Any

import pytest

from errata.nodes.llm_augmenter.respond import prompt, send
from errata.state import Context
from errata.state.errors import ModelError

from ...fakes import Scripted
from ..states import failure, verdict
from .states import RIGHT, WRONG, knowing, memory, scored


async def test_the_first_response_is_the_text() -> None:
    update = await prompt(knowing(), Context(backends={"respond": Scripted({"text": RIGHT})}))
    assert (update["text"], update["original"], update["candidates"]) == (RIGHT, RIGHT, [RIGHT])


async def test_a_response_of_the_callers_own_comes_first() -> None:
    update = await prompt(memory(text=RIGHT), Context(backends={"respond": Scripted(AssertionError("not asked"))}))
    assert update["candidates"] == [RIGHT]


async def test_another_try_is_told_what_was_wrong() -> None:
    model = Scripted({"text": RIGHT})
    state = knowing(text=WRONG, candidates=[WRONG], critique="The evidence says otherwise.", tried=["prompt"])
    update = await prompt(state, Context(backends={"respond": model}))
    assert (model.asked[0]["text"], model.asked[0]["feedback"]) == (WRONG, "The evidence says otherwise.")
    assert (update["candidates"], update["critique"], update["tried"]) == ([WRONG, RIGHT], "", ["prompt", "prompt"])
    assert "original" not in update


async def test_a_model_that_is_down_is_a_try_all_the_same() -> None:
    update = await prompt(memory(), Context(backends={"respond": Scripted(ModelError("it is down"))}))
    assert (update["tried"], update["failures"][0]["reason"]) == (["prompt"], "it is down")
    assert "candidates" not in update


async def sent(**fields: Any) -> dict[str, Any]:
    state = knowing(**{"text": RIGHT, "original": RIGHT, "candidates": [RIGHT], **fields})
    return await send(lambda score, context: score >= 0.5)(state, Context())


@pytest.mark.parametrize(
    ("fields", "stopped", "reason"),
    [
        ({"scores": [scored(RIGHT, 0.7)]}, "accepted", "it scores 0.70"),
        ({"scores": [scored(RIGHT, 0.1)]}, "rounds", "the only response is sent, though it scores 0.10"),
        ({"scores": [scored(RIGHT, 0.1)], "spent": True}, "budget", "the budget of model calls is spent"),
        ({"scores": [scored(RIGHT, None)], "tried": ["consolidate"]}, "finished", "the response is unchecked: the se"),
        ({"scores": [scored(RIGHT, None)]}, "finished", "the response is unchecked: no evidence was looked up"),
        ({"scores": [scored(RIGHT, 0.7)], "failures": [failure("down")]}, "error", "the best of 1 response is sent"),
        ({"candidates": [], "text": "", "failures": [failure("down")]}, "error", "there is no response: research"),
    ],
)
async def test_each_end_has_its_name(fields: dict[str, Any], stopped: str, reason: str) -> None:
    verdicts = [verdict("neutral") for _ in fields.get("scores", [])]
    result = await sent(**fields, verdicts=verdicts)
    assert result["stopped"] == stopped
    assert result["reason"].startswith(reason)


async def test_a_response_that_contradicts_the_evidence_is_told_of() -> None:
    wrong = verdict("contradiction", reason="dogs are welcome")
    result = await sent(text=WRONG, original=WRONG, candidates=[WRONG], scores=[scored(WRONG, 0.1)], verdicts=[wrong])
    assert (result["status"], result["unresolved"][0]["reason"]) == ("unresolved", "dogs are welcome")
