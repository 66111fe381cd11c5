"""What is left to do, and who chooses of it."""

from typing import Any

import pytest

from errata.models.tasks.dialogue import RESPOND
from errata.nodes.llm_augmenter.policy import policy
from errata.state import Context
from errata.state.errors import ModelError
from errata.state.methods.augmenter import Action

from ...fakes import FakeChatModel, Scripted
from ..states import used
from .states import RIGHT, knowing, memory, scored

NEEDS: Any = {"consolidate": (), "prompt": (RESPOND,)}


def laid_out(*actions: Action) -> Any:
    return policy(lambda state, context: list(actions), NEEDS)


async def test_sending_is_open_once_there_is_a_response() -> None:
    step = laid_out("consolidate", "prompt")
    assert (await step(memory(), Context()))["open"] == ["consolidate", "prompt"]
    assert (await step(memory(candidates=[RIGHT]), Context()))["open"] == ["consolidate", "prompt", "send"]
    assert (await laid_out()(memory(), Context()))["open"] == ["send"]


async def test_what_the_budget_has_no_call_for_is_not_open() -> None:
    poor = Context(model=FakeChatModel(replies=[RIGHT]), max_calls=1, backends={"respond": "chat"})
    update = await laid_out("prompt")(memory(candidates=[RIGHT], usage=used(llm_calls=1)), poor)
    assert (update["open"], update["spent"]) == (["send"], True)
    given = await laid_out("prompt")(memory(text=RIGHT, usage=used(llm_calls=1)), poor)
    assert (given["open"], given["spent"]) == (["prompt"], False), "the first response is the caller's"


@pytest.mark.parametrize(("name", "asked"), [("self_ask", 1), ("rules", 0)])
async def test_a_model_is_asked_only_where_it_is_the_policy(name: Any, asked: int) -> None:
    model = FakeChatModel(replies=['{"reason": "It is known.", "action": "prompt"}'])
    context = Context(model=model, policy=name, cache=False)
    update = await laid_out("consolidate", "prompt")(memory(), context)
    assert len(model.asked) == asked
    assert update["chosen"] == ("prompt" if asked else None)


async def test_a_policy_of_the_callers_own_is_shown_the_best_response_and_its_score() -> None:
    chooser = Scripted({"reason": "", "action": "send"})
    state = knowing(candidates=["No.", RIGHT], scores=[scored("No.", 0.1), scored(RIGHT, 0.6)], critique="More!")
    update = await laid_out("prompt")(state, Context(backends={"policy": chooser}))
    (asked,) = chooser.asked
    assert (update["chosen"], asked["text"], asked["score"]) == ("send", RIGHT, 0.6)
    assert (asked["actions"], asked["feedback"]) == (["prompt", "send"], "More!")


async def test_one_that_is_down_chooses_nothing() -> None:
    context = Context(backends={"policy": Scripted(ModelError("it is down"))})
    update = await laid_out("prompt")(memory(candidates=[RIGHT]), context)
    assert (update["chosen"], update["failures"][0]["reason"]) == (None, "it is down")
