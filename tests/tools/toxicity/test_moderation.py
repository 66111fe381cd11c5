"""OpenAI's moderation endpoint, against a server on the loopback."""

import json
from typing import Any

import pytest

from errata.state.errors import ConfigurationError, ErrataError, ToolError
from errata.state.runs.meter import metered
from errata.tools.toxicity import ToxicityTool, toxicity_tool
from errata.tools.toxicity.moderation import ModerationToxicity

from ..conftest import Answer, Request, Server

SECRET = "sk-very-secret"
CATEGORIES = {
    "harassment": 0.1,
    "harassment/threatening": 0.0,
    "hate": 0.02,
    "hate/threatening": 0.0,
    "illicit": 0.9,
    "illicit/violent": 0.8,
    "self-harm": 0.7,
    "self-harm/instructions": 0.0,
    "self-harm/intent": 0.0,
    "sexual": 0.0,
    "sexual/minors": 0.0,
    "violence": 0.05,
    "violence/graphic": 0.0,
}


@pytest.fixture(autouse=True)
def _keys(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", SECRET)


def scorer(server: Server, **settings: Any) -> ToxicityTool:
    return ModerationToxicity.of(base_url=server.url, **settings)


def moderation(request: Request) -> Answer:
    texts = json.loads(request.body)["input"]
    results = [{"flagged": False, "category_scores": {**CATEGORIES, "harassment": amount(text)}} for text in texts]
    return Answer(json.dumps({"results": results}))


def amount(text: str) -> float:
    return max((float(word) for word in text.split() if word.startswith("0.")), default=0.0)


def refusal(status: int, message: str) -> Answer:
    return Answer(json.dumps({"error": {"code": status, "message": message}}), status)


async def test_the_worst_of_the_toxic_categories_counts(server: Server) -> None:
    server.answer = moderation
    found = await scorer(server).score("a text of 0.04")
    assert found["overall"] == 0.05  # of violence; wrongdoing and self-harm are not toxicity
    assert found["worst"] == "violence"
    assert set(found["attributes"]).isdisjoint({"illicit", "self-harm"})
    (request,) = server.requests
    assert request.path == "/moderations"
    assert request.headers["authorization"] == f"Bearer {SECRET}"
    assert json.loads(request.body) == {"model": "omni-moderation-latest", "input": ["a text of 0.04"]}


def test_as_a_tool(server: Server) -> None:
    server.answer = moderation
    tool = scorer(server)
    message = tool.invoke({"type": "tool_call", "id": "1", "name": "moderation", "args": {"text": "0.5"}})
    assert message.content == "50% toxicity of harassment"
    assert message.artifact["overall"] == 0.5
    assert tool.measures
    assert SECRET not in repr(tool)


async def test_order_is_kept_and_equal_texts_are_asked_once(server: Server) -> None:
    server.answer = moderation
    texts = [f"0.{n}" for n in range(100, 140)] + ["0.100", " 0.101 ", ""]
    with metered() as meter:
        found = await scorer(server).score_all(texts)
    assert [one["overall"] for one in found] == [max(amount(text), 0.05 if text else 0) for text in texts]
    assert len(server.requests) == 3
    assert meter.spent["tool_runs"] == 40


async def test_a_text_with_nothing_in_it(server: Server) -> None:
    assert [one["overall"] for one in await scorer(server).score_all(["", " \n", "\u202e"])] == [0, 0, 0]
    assert await scorer(server).score_all([]) == []
    assert not server.requests


async def test_a_text_that_is_too_long_is_scored_in_pieces(server: Server) -> None:
    server.answer = moderation
    text = "é " * 15_000 + "0.7 " + "word " * 2_000
    found = await scorer(server).score(text)
    assert found["overall"] == 0.7
    sent = [piece for request in server.requests for piece in json.loads(request.body)["input"]]
    assert len(sent) == 3
    assert all(len(piece.encode()) <= 20_000 for piece in sent)


async def test_scores_are_kept_on_disk_text_by_text(server: Server) -> None:
    server.answer = moderation
    await scorer(server, keep=True).score_all(["0.1", "0.2"])
    server.requests.clear()
    with metered() as meter:
        found = await scorer(server, keep=True).score_all(["0.3", "0.2", "0.1"])
    assert [one["overall"] for one in found] == [0.3, 0.2, 0.1]
    assert len(server.requests) == 1
    assert meter.spent == {"tool_runs": 1}
    await scorer(server).score("0.1")
    assert len(server.requests) == 2


async def test_bad_luck_is_tried_again(server: Server) -> None:
    server.answer = lambda request: Answer(status=429) if len(server.requests) < 3 else moderation(request)
    assert (await scorer(server, retries=2).score("0.6"))["overall"] == 0.6
    assert len(server.requests) == 3


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        (Answer(status=500), "answered 500"),
        (Answer(status=429), "fewer requests"),
        (refusal(401, f"Incorrect API key provided: {SECRET}"), "refuses the key"),
        (refusal(403, "Forbidden"), "refuses the key"),
        (refusal(400, f"No: {SECRET}"), r"answered 400 \(No: \[key\]\)"),
        (Answer("<html>", 200), "other than JSON"),
        (Answer("[]", 200), "unknown shape"),
        (Answer("{}", 200), "without the"),
        (Answer('{"results": [{"category_scores": {"hate": 1}}]}'), "without the"),
    ],
)
async def test_a_failure_is_no_score(server: Server, answer: Answer, says: str) -> None:
    server.answer = lambda request: answer
    with metered() as meter, pytest.raises(ToolError, match=says) as error:
        await scorer(server, retries=1).score_all(["a", "b"])
    assert not meter.spent
    assert SECRET not in "".join(map(str, chain(error.value)))
    server.answer = moderation
    assert (await scorer(server).score("a"))["overall"] < 0.1  # and no failure is kept


def chain(error: BaseException | None) -> list[BaseException]:
    return [error, *chain(error.__cause__ or error.__context__)] if error else []


@pytest.mark.parametrize("value", ["NaN", "1.5", "-0.1", '"0.5"', "true", "null"])
async def test_a_score_that_is_none(server: Server, value: str) -> None:
    server.answer = lambda request: Answer(str(moderation(request).body).replace("0.25", value))
    with pytest.raises(ToolError, match="other than scores"):
        await scorer(server).score("0.25")


async def test_a_batch_that_comes_back_short(server: Server) -> None:
    server.answer = lambda request: Answer(json.dumps({"results": [{"category_scores": CATEGORIES}]}))
    with pytest.raises(ToolError, match="other than scores"):
        await scorer(server).score_all(["a", "b"])


async def test_a_slow_server_is_given_up(server: Server) -> None:
    server.answer = lambda request: Answer("x" * 100, drip=0.05)
    with pytest.raises(ToolError, match=r"within 0\.3 s"):
        await scorer(server, timeout=0.3).score("a")


async def test_nobody_there() -> None:
    with pytest.raises(ToolError, match="cannot be reached"):
        await ModerationToxicity.of(base_url="http://127.0.0.1:9", retries=0).score("a")


async def test_the_others_stop_where_one_fails(server: Server) -> None:
    server.answer = lambda request: Answer(status=400)
    with pytest.raises(ToolError):
        await scorer(server).score_all([f"text {n}" for n in range(1000)])
    assert len(server.requests) <= 8


def test_an_address_that_is_none() -> None:
    with pytest.raises(ConfigurationError, match="not a web address"):
        ModerationToxicity.of(base_url="nowhere")


def test_without_a_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", " ")
    with pytest.raises(ConfigurationError, match=r"OPENAI_API_KEY is not set.*get a key"):
        toxicity_tool("moderation")
    monkeypatch.setenv("OPENAI_API_KEY", f"{SECRET}\nX-Evil: 1")
    with pytest.raises(ErrataError, match="one line of ASCII") as error:
        toxicity_tool("moderation")
    assert SECRET not in str(error.value)
