"""What a critic says of a candidate, and what it may not say."""

from typing import Any

import pytest

from errata.models.tasks.critic import PROGRAM_CRITIQUE
from errata.nodes.critic.judge import judged
from errata.state import Context
from errata.state.errors import ModelError

from ...fakes import FakeChatModel, Scripted
from ..states import loop, used

FINE = {"plausibility": "Plausible.", "correctness": "It is right.", "accepted": True}
GIVEN: Any = {"question": "How many?", "program": "answer = 3", "observation": "answer = 3"}


async def said(reply: Any, **more: Any) -> dict[str, Any]:
    context = Context(backends={"program_critique": Scripted(reply)})
    return await judged(loop(), context, PROGRAM_CRITIQUE, GIVEN, "Is the program right?", **more)


@pytest.mark.parametrize(("shown", "label"), [("e1", "entailment"), ("", "neutral")])
async def test_only_a_critic_that_was_shown_something_bears_a_candidate_out(shown: str, label: str) -> None:
    update = await said(FINE, evidence_id=shown)
    (verdict,) = update["verdicts"]
    assert (update["accepted"], verdict["label"], verdict["evidence"]) == (True, label, shown)
    assert verdict["reason"] == "Plausible. It is right."


async def test_a_fault_that_the_tool_found_overrules_an_acceptance() -> None:
    update = await said(FINE, evidence_id="e1", fault="It came to no answer.")
    assert (update["accepted"], update["verdicts"][0]["label"]) == (False, "neutral")
    assert update["critique"].endswith("It came to no answer.")


async def test_a_fault_that_the_critic_finds_is_a_contradiction() -> None:
    update = await said({**FINE, "accepted": False, "correctness": "It forgets two."}, evidence_id="e1")
    assert (update["accepted"], update["verdicts"][0]["label"]) == (False, "contradiction")


async def test_what_is_known_to_be_right_is_not_asked() -> None:
    update = await said(AssertionError("nobody is asked"), right=True)
    (verdict,) = update["verdicts"]
    assert (verdict["label"], verdict["backend"], update["accepted"]) == ("entailment", "oracle", True)


@pytest.mark.parametrize(
    ("critique", "reason"),
    [
        ({**FINE, "accepted": False, "correctness": "It forgets two."}, "It forgets two."),
        (FINE, "The answer is wrong."),
    ],
)
async def test_of_what_is_known_to_be_wrong_the_critic_says_why(critique: Any, reason: str) -> None:
    update = await said(critique, right=False)
    (verdict,) = update["verdicts"]
    assert (verdict["label"], verdict["backend"], update["accepted"]) == ("contradiction", "oracle", False)
    assert verdict["reason"].endswith(reason)


async def test_an_outage_and_a_spent_budget_are_no_verdicts() -> None:
    update = await said(ModelError("the model is down"))
    assert "verdicts" not in update
    assert update["failures"] == [{"step": "critique", "reason": "the model is down", "unchecked": True}]
    poor = Context(model=FakeChatModel(replies=["no"]), max_calls=1)
    spent = loop(usage=used(llm_calls=1))
    assert await judged(spent, poor, PROGRAM_CRITIQUE, GIVEN, "Is the program right?") == {"spent": True}
