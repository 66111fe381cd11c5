"""The chat backend: replies are read in whatever form they come, and asked for again a bounded number of times."""

import json
from typing import Any

import pytest
from langchain_core.messages import AIMessage

from errata.models import task
from errata.models.tasks import TASKS
from errata.models.tasks.correction import Agreement, Revision
from errata.state import Context
from errata.state.errors import ModelError

from ..fakes import AGREES, FakeChatModel

PAIR = {"text": "It opened in 1885.", "question": "", "query": "When?", "evidence": "In 1883.", "title": "Bridge"}
GOOD = json.dumps(AGREES)


async def think(model: FakeChatModel, name: str = "agreement", **settings: Any) -> Any:
    task_input = {"question": "When did it open?"} if name == "draft" else PAIR
    return await task(Context(model=model, **settings), TASKS[name]).ainvoke(task_input)


@pytest.mark.parametrize(
    "reply",
    [
        GOOD,
        f"```json\n{GOOD}\n```",
        f"Here is my answer:\n```\n{GOOD}\n```",
        AIMessage([{"type": "text", "text": GOOD}]),
        AIMessage("", tool_calls=[{"name": "Agreement", "args": AGREES, "id": "1"}]),
    ],
    ids=["bare", "fenced", "fenced with talk", "blocks", "tool call"],
)
async def test_a_reply_is_read_in_any_form(reply: Any) -> None:
    model = FakeChatModel(replies=[reply])
    assert await think(model) == Agreement.model_validate(AGREES)
    assert len(model.asked) == 1


async def test_a_model_that_takes_schemas_is_given_the_tasks() -> None:
    model = FakeChatModel(replies=[GOOD], structured=True)
    await think(model)
    assert [schema["title"] for schema in model.schemas] == ["Agreement"]


async def test_a_model_without_schemas_is_asked_in_words_and_that_is_remembered() -> None:
    model = FakeChatModel(replies=[GOOD])
    for _ in range(3):
        assert (await think(model)).label == "entailment"
    assert len(model.asked) == 3


async def test_a_draft_is_plain_text() -> None:
    model = FakeChatModel(replies=["  It opened in 1883.\n"], structured=True)
    assert (await think(model, "draft")).text == "It opened in 1883."
    assert model.schemas == []


@pytest.mark.parametrize(
    ("bad", "complaint"),
    [
        ("I think they agree.", "no JSON object"),
        ("", "empty"),
        ('{"text_says": "", "evidence_says": ""}', "label"),
        ('{"text_says": "", "evidence_says": "", "label": "maybe"}', "label"),
        (GOOD[:-20], "no JSON object"),
    ],
)
async def test_a_bad_reply_is_complained_of_and_repaired(bad: str, complaint: str) -> None:
    model = FakeChatModel(replies=[bad, GOOD])
    assert (await think(model)).label == "entailment"
    first, second = model.asked
    assert second[: len(first)] == first
    assert second[-2].text == (bad or "(nothing)")
    assert complaint in second[-1].text


async def test_an_empty_draft_is_asked_for_again() -> None:
    model = FakeChatModel(replies=["  ", "In 1883."])
    assert (await think(model, "draft")).text == "In 1883."


@pytest.mark.parametrize(
    ("tokens", "likely"),
    [
        (
            {"First, it is": -9.0, " Zürich.": -8.0, " The answer is": -7.0, " Z": -0.5, "ürich": -0.25, ".": -6.0},
            -0.75,
        ),
        ({"The answer is": -7.0, " 4": -0.5, ".\n\nQuestion:": -4.0, " Why? The answer is": -3.0, " 5.": -2.0}, -0.5),
        ({"It is Paris": -1.0, ".": -1.0}, None),
    ],
)
async def test_a_sample_knows_how_probable_its_answer_is(tokens: dict[str, float], likely: float | None) -> None:
    scored = [{"token": token, "bytes": list(token.encode()), "logprob": each} for token, each in tokens.items()]
    reply = AIMessage("".join(tokens), response_metadata={"logprobs": {"content": scored}})
    sampled = await task(Context(model=FakeChatModel(replies=[reply])), TASKS["chains"]).ainvoke(
        {"question": "?", "n": 1}
    )
    assert [each.answer_logprob for each in sampled.samples] == [likely]


async def test_a_reply_that_goes_on_and_on_is_not_read() -> None:
    model = FakeChatModel(replies=[GOOD + "?" * 500_000, GOOD])
    assert (await think(model)).label == "entailment"
    assert "longer than 500,000 characters" in model.asked[1][-1].text


async def test_an_edit_that_repeats_what_stood_before_the_text_is_repaired() -> None:
    model = FakeChatModel(replies=["It is old. It opened in 1883.", "It opened in 1883."])
    given = {**PAIR, "text": "It opened in 1885.", "before": "It is old."}
    assert await task(Context(model=model), TASKS["edit"]).ainvoke(given) == Revision(text="It opened in 1883.")
    assert "begins with what stood before" in model.asked[1][-1].text


@pytest.mark.parametrize("repairs", [0, 1, 2])
async def test_repairs_are_bounded(repairs: int) -> None:
    model = FakeChatModel(replies=["no JSON"])
    with pytest.raises(ModelError, match=rf"`agreement` in {repairs + 1} tries: there is no JSON object in the reply"):
        await think(model, repairs=repairs)
    assert len(model.asked) == repairs + 1


async def test_a_broken_model_is_a_model_error_in_one_line() -> None:
    model = FakeChatModel(replies=[RuntimeError("first line\nsecond line " + "x" * 1_000)])
    with pytest.raises(ModelError) as raised:
        await think(model)
    assert "first line second line" in str(raised.value)
    assert "\n" not in str(raised.value)
    assert len(str(raised.value)) < 400


async def test_a_model_that_can_do_nothing_is_a_model_error() -> None:
    model = FakeChatModel(replies=[NotImplementedError("no generation")])
    with pytest.raises(ModelError, match="no generation"):
        await think(model)
    assert len(model.asked) == 1
