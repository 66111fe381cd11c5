"""Refusals and error pages in the place of a reply: they are told, and never pass for an answer."""

import json
from typing import Any

import pytest
from langchain_core.messages import AIMessage
from langchain_core.runnables import RunnableLambda

from errata.models import task
from errata.models.declined import declined
from errata.models.tasks import TASKS
from errata.state import Context
from errata.state.errors import ModelError

from ..fakes import FakeChatModel, FakeToolCaller, concludes
from ..growth import growth, repeated

DECLINED = (
    "I'm sorry, but I can't help with that.",
    "I’m sorry, but I can’t assist with that request.",
    "I am sorry, but I cannot provide that.",
    "Sorry, I can't do that.",
    "I cannot assist with this request.",
    "I'm unable to help with that.",
    "I am not able to fulfil this request.",
    "As an AI language model, I don't have access to the internet.",
    "I apologize, but I'm not able to answer that.",
    "I'm really sorry, but I can't continue with this.",
    "I must respectfully decline to answer.",
    "I won't be able to help with that.",
    "Rate limit exceeded",
    "Rate limit reached for gpt-4 in organization org-x on tokens per min.",
    "Error: 429 Too Many Requests",
    "HTTP 503: Service Unavailable",
    "503 Service Unavailable",
    "You exceeded your current quota, please check your plan and billing details.",
    "The server is overloaded. Please try again later.",
    "The model is currently overloaded with other requests.",
    "<!DOCTYPE html><html><head><title>502</title>",
    "<html>",
    '{"error": {"message": "x"}}',
    "Internal Server Error",
    "抱歉，我无法回答这个问题。",
    "作为一个人工智能语言模型，我不能提供",
    "申し訳ありませんが、その質問にはお答えできません。",
    "죄송하지만 그 요청은 도와드릴 수 없습니다.",
    "Es tut mir leid, aber ich kann dabei nicht helfen.",
    "Unfortunately, I cannot provide that information.",
)

REPLIES = (
    "I'm sorry to hear that. The lodge takes dogs.",
    "Sorry, the lodge takes no dogs after six.",
    "I cannot tell.",
    "UNKNOWN",
    "The rate limit exceeded 100 requests in 2019.",
    "Too many requests were made by the crowd.",
    "As an AI researcher, I joined DeepMind in 2012.",
    '"I\'m sorry" is a song by Brenda Lee.',
    "Unfortunately, the bridge collapsed in 1879.",
    "First, Jo Adler played for the Bears. The answer is Ohio.",
    "Access to the tower was denied in 1999.",
    "503 people died.",
    "We cannot know who wrote it.",
    "The service is unavailable on Sundays is a wrong statement.",
    "HTTP 503 means that the service is unavailable.",
    "The model is trained on 3 trillion tokens.",
    "<p>Paris</p>",
    "Lo siento is a song by Beret.",
    "对不起是一首歌。",
    "The server was overloaded in 2003, which caused the blackout.",
    "I can't help falling in love with you is a song by Elvis Presley.",
)

REFUSAL = "I'm sorry, but I can't help with that."


@pytest.mark.parametrize("reply", DECLINED)
def test_what_is_no_reply_is_told(reply: str) -> None:
    assert declined(reply)
    assert declined(f"  {reply}\n\nAnything else?")


@pytest.mark.parametrize("reply", REPLIES)
def test_what_only_speaks_of_it_is_a_reply(reply: str) -> None:
    assert not declined(reply)


@pytest.mark.parametrize("reply", DECLINED)
def test_what_stood_in_the_text_before_is_repeated_and_no_refusal(reply: str) -> None:
    assert not declined(f"{reply} said the robot in 1883.", [f"{reply} said the robot in 1885."])


@pytest.mark.parametrize("words", ["I'm sorry, but ", "error ", " ", "as an ", "抱歉", "sorry"])
def test_words_of_any_length_are_read_in_proportion_to_it(words: str) -> None:
    assert not growth(repeated(words), lambda text: declined(text, [text[:1_000]]), 200_000)


GIVEN: dict[str, Any] = {
    "question": "When did it open?", "text": "It opened in 1885.", "query": "When?", "evidence": "In 1883.",
    "sentence": "It opened in 1885.", "rationale": "", "title": "", "critique": "rude", "passages": [], "n": 2,
}  # fmt: skip
PLAIN = ("draft", "cot", "continuation", "respond", "edit", "rewrite", "verifying_question", "final_answer", "samples")


@pytest.mark.parametrize("reply", [REFUSAL, "Rate limit exceeded", "<html><body>502</body></html>"])
@pytest.mark.parametrize("name", PLAIN)
async def test_every_task_in_plain_text_fails_with_the_reason(name: str, reply: str) -> None:
    context = Context(model=FakeChatModel(replies=[reply]))
    with pytest.raises(ModelError) as raised:
        await task(context, TASKS[name]).ainvoke(GIVEN)
    assert reply[:15] in str(raised.value)


@pytest.mark.parametrize(
    ("name", "reply"),
    [
        ("verifying_answer", json.dumps({"answerable": True, "text": REFUSAL})),
        ("verifying_answer", REFUSAL),
        ("edit_all", json.dumps({"text": REFUSAL})),
        ("self_criticism", json.dumps({"text": REFUSAL})),
        ("queries", json.dumps({"queries": [REFUSAL]})),
        ("search_queries", json.dumps({"queries": [REFUSAL]})),
    ],
)
async def test_a_refusal_in_an_object_is_one(name: str, reply: str) -> None:
    with pytest.raises(ModelError, match=r"refusal|no JSON"):
        await task(Context(model=FakeChatModel(replies=[reply])), TASKS[name]).ainvoke({**GIVEN, "pairs": []})


async def test_a_refusal_as_the_conclusion_of_a_critic_is_one() -> None:
    model = FakeToolCaller(replies=[concludes(text=REFUSAL, correctness="No.")])
    given = {**GIVEN, "answer": "", "messages": [], "tools": ["search"], "last": False}
    with pytest.raises(ModelError, match="it is a refusal"):
        await task(Context(model=model), TASKS["qa_critique"]).ainvoke(given)


async def test_a_model_is_asked_again_and_may_reply_then() -> None:
    model = FakeChatModel(replies=[REFUSAL, "In 1883."])
    assert (await task(Context(model=model), TASKS["draft"]).ainvoke(GIVEN)).text == "In 1883."
    assert "it is a refusal" in model.asked[1][-1].text


@pytest.mark.parametrize(
    "reply",
    [
        AIMessage("It opened in", response_metadata={"finish_reason": "content_filter"}),
        AIMessage("", additional_kwargs={"refusal": "I can't help with that."}),
    ],
)
async def test_what_a_provider_withholds_is_no_reply(reply: AIMessage) -> None:
    with pytest.raises(ModelError, match=r"filter withheld it|the model refuses"):
        await task(Context(model=FakeChatModel(replies=[reply])), TASKS["draft"]).ainvoke(GIVEN)


async def test_a_runnable_of_the_callers_may_refuse_too() -> None:
    context = Context(backends={"draft": RunnableLambda(lambda given: {"text": REFUSAL})})
    with pytest.raises(ModelError, match="it is a refusal"):
        await task(context, TASKS["draft"]).ainvoke(GIVEN)


@pytest.mark.parametrize(
    ("said", "tells"),
    [
        ({"answerable": True, "text": "It opened in 1883."}, True),
        ({"answerable": False, "text": ""}, False),
        ({"answerable": False, "text": "It opened in 1883."}, False),
        ({"answerable": True, "text": "UNKNOWN"}, False),
        ({"text": "It opened in 1883."}, True),
    ],
)
async def test_an_answer_says_whether_it_is_one(said: dict[str, Any], tells: bool) -> None:
    context = Context(model=FakeChatModel(replies=[json.dumps(said)]))
    assert (await task(context, TASKS["verifying_answer"]).ainvoke(GIVEN)).tells == tells


async def test_an_answer_without_words_is_asked_for_again() -> None:
    model = FakeChatModel(replies=['{"answerable": true, "text": " "}', '{"answerable": false, "text": ""}'])
    assert not (await task(Context(model=model), TASKS["verifying_answer"]).ainvoke(GIVEN)).tells
    assert "set `answerable` to false" in model.asked[1][-1].text
