"""Questions about every passage, each asked once; what could not be asked is told."""

from typing import Any

import pytest
from langchain_core.runnables import RunnableLambda

from errata.nodes.rarr.questions import asked_of, questions
from errata.state import Context
from errata.state.errors import ModelError

from ...fakes import FakeChatModel, Scripted, always
from ..states import state

LONG = " ".join(f"Tower {number} was built in {1800 + number} and is tall." for number in range(12))


async def test_rounds_that_ask_the_same_ask_once() -> None:
    model = Scripted({"queries": ["When was it built?", " "]}, {"queries": ["When was it built?", "Is it tall?"]})
    context = Context(backends={"queries": model}, question_rounds=2)
    update = await questions(state(text="It was built in 1889."), context)
    texts = [each["text"] for each in update["questions"]]
    assert (texts[0], len(texts)) == ("When was it built?", len(set(texts)))
    assert [each["number"] for each in update["questions"]] == [*range(len(texts))]
    assert (update["lost"], update["spent"]) == ([], False)


async def test_each_question_is_of_its_passage() -> None:
    async def ask(given: Any) -> Any:
        return {"queries": [f"What of {given['text'].split(' was')[0]}?"]}

    context = Context(backends={"queries": RunnableLambda(ask)}, passage_chars=200)
    update = await asked_of(state(text=LONG), context, 1)
    assert len(update["passages"]) > 1
    assert [each["passage"] for each in update["questions"]] == list(range(len(update["passages"])))
    for each in update["questions"]:
        assert each["text"].removeprefix("What of ").rstrip("?") in update["passages"][each["passage"]]


async def test_a_later_passage_is_asked_about_in_view_of_what_stands_before() -> None:
    model = Scripted({"queries": ["What?"]})
    await asked_of(state(text=LONG, question="Which?"), Context(backends={"queries": model}, passage_chars=200), 1)
    befores = [asked["before"] for asked in model.asked]
    assert befores[0] == ""
    assert all(befores[1:])
    assert {asked["question"] for asked in model.asked} == {"Which?"}


async def test_a_round_that_is_lost_is_told_with_its_passage() -> None:
    context = Context(backends={"queries": always(ModelError("it is down"))}, question_rounds=2)
    update = await questions(state(text="It is red."), context)
    assert update["failures"] == [{"step": "questions", "reason": "it is down", "unchecked": True}]
    assert (update["lost"], update["quorum"]["rounds"]["had"]) == ([0], 0)


@pytest.mark.parametrize(("calls", "spent"), [(1, True), (9, False)])
async def test_what_the_budget_does_not_reach_is_told(calls: int, spent: bool) -> None:
    model = FakeChatModel(replies=['{"queries": ["What?"]}'])
    context = Context(model=model, max_calls=calls, passage_chars=200, cache=False)
    update = await asked_of(state(text=LONG), context, 1)
    assert update["spent"] is spent
    assert len(model.asked) == min(calls, len(update["passages"]))


async def test_an_empty_text_is_asked_nothing_about() -> None:
    model = Scripted(AssertionError("not asked"))
    update = await questions(state(text=""), Context(backends={"queries": model}))
    assert (update["questions"], update["failures"], model.asked) == ([], [], [])
