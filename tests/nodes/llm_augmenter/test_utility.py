"""How good a response is, and what is said to the next one."""

from typing import Any

import pytest

from errata.nodes.llm_augmenter.utility import criticise, utility
from errata.state import Context
from errata.state.errors import ModelError

from ...fakes import FakeChatModel, Scripted
from ..states import failure, used, verdict
from .states import DOGS, RIGHT, WRONG, knowing, memory, scored

SIDES = {"reason": "It rambles.", "fluency": 0.9, "informativeness": 0.4, "factuality": 0.8}


def responded(text: str, **fields: Any) -> Any:
    return knowing(**{"text": text, "original": text, "candidates": [text], **fields})


async def test_words_in_common_are_a_score_and_no_verdict() -> None:
    update = await utility(responded(RIGHT), Context())
    (score,), (said,) = update["scores"], update["verdicts"]
    assert (score["kf1"], score["overall"]) == (1.0, 1.0)
    assert (said["label"], said["evidence"], said["backend"]) == ("neutral", DOGS["id"], "kf1")


async def test_a_model_looks_at_three_sides_and_the_worst_counts() -> None:
    update = await utility(responded(RIGHT), Context(utility="model", backends={"utility": Scripted(SIDES)}))
    assert (update["scores"][0]["overall"], update["judgement"]) == (0.4, "It rambles.")


async def test_without_evidence_there_is_nothing_to_compare_with() -> None:
    update = await utility(memory(text=RIGHT, original=RIGHT, candidates=[RIGHT]), Context())
    assert update["scores"][0]["overall"] is None
    assert (update["verdicts"][0]["label"], update["verdicts"][0]["reason"]) == ("neutral", "there is no evidence")


async def test_where_a_part_of_the_evidence_is_missing_nobody_can_tell() -> None:
    update = await utility(responded(RIGHT, failures=[failure("the search is down")]), Context())
    assert update["verdicts"][0]["label"] == "error"
    assert "the search is down" in update["verdicts"][0]["reason"]


async def test_a_judge_that_is_down_gives_no_score() -> None:
    down = Context(utility="model", backends={"utility": Scripted(ModelError("it is down"))})
    update = await utility(responded(RIGHT), down)
    assert (update["scores"][0]["overall"], update["verdicts"][0]["label"]) == (None, "error")
    assert update["quorum"] == {"scores": {"asked": 1, "had": 0}}


async def test_the_best_response_is_one_edit_of_the_whole() -> None:
    later = responded(WRONG, candidates=[WRONG, RIGHT], scores=[scored(WRONG, 0.1)], feedback=["Say what it says."])
    update = await utility(later, Context())
    (edit,) = update["edits"]
    assert (update["text"], edit["before"], edit["reason"]) == (RIGHT, WRONG, "Say what it says.")
    worse = responded(RIGHT, candidates=[RIGHT, WRONG], scores=[scored(RIGHT, 0.9)])
    kept = await utility(worse, Context())
    assert (kept["text"], kept["edits"]) == (RIGHT, [])


async def test_feedback_is_for_the_next_response_and_may_turn_the_verdict() -> None:
    critic = Scripted({"text": "Dogs are welcome.", "contradicts": True})
    state = responded(WRONG, verdicts=[verdict("neutral")], judgement="vague")
    update = await criticise(state, Context(backends={"feedback": critic}))
    assert (update["critique"], update["feedback"]) == ("Dogs are welcome.", ["Dogs are welcome."])
    assert [each["label"] for each in update["verdicts"]] == ["contradiction"]
    assert (critic.asked[0]["text"], critic.asked[0]["reason"]) == (WRONG, "vague")


@pytest.mark.parametrize(("calls", "spent"), [(1, True), (2, False)])
async def test_feedback_that_no_response_could_heed_is_not_asked_for(calls: int, spent: bool) -> None:
    model = FakeChatModel(replies=['{"text": "Say more.", "contradicts": false}'])
    context = Context(model=model, max_calls=calls, feedback="self_criticism", cache=False)
    update = await criticise(responded(WRONG, verdicts=[verdict("neutral")], usage=used()), context)
    assert (update == {"spent": True}) is spent


async def test_a_critic_that_is_down_is_a_failure() -> None:
    down = Context(backends={"feedback": Scripted(ModelError("it is down"))})
    update = await criticise(responded(WRONG, verdicts=[verdict("neutral")]), down)
    assert update["failures"] == [{"step": "feedback", "reason": "it is down", "unchecked": True}]
