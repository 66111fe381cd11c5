"""The scorers behind an HTTP API, against a server on the loopback."""

import asyncio
import json
from types import SimpleNamespace
from typing import Any

import pytest

from errata.state.errors import ConfigurationError, ErrataError, ToolError
from errata.state.runs.meter import metered
from errata.tools.toxicity import ToxicityTool, toxicity_tool
from errata.tools.toxicity.moderation import ModerationToxicity
from errata.tools.toxicity.perspective import PerspectiveToxicity
from errata.tools.toxicity.remote import Pace

from ..conftest import Answer, Request, Server

SECRET = "sk-very-secret"
NAMES = "TOXICITY SEVERE_TOXICITY IDENTITY_ATTACK INSULT PROFANITY THREAT SEXUALLY_EXPLICIT FLIRTATION".split()
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
REMOTE = ["perspective", "moderation"]


@pytest.fixture(autouse=True)
def _keys(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PERSPECTIVE_API_KEY", SECRET)
    monkeypatch.setenv("OPENAI_API_KEY", SECRET)


def scorer(name: str, server: Server, **settings: Any) -> ToxicityTool:
    return toxicity_tool(name, **{"base_url": server.url, "requests_per_second": 1000.0, **settings})


def perspective(request: Request) -> Answer:
    """Texts are as toxic as the number in them says."""
    text = json.loads(request.body)["comment"]["text"]
    scores = dict.fromkeys(NAMES, 0.01) | {"TOXICITY": amount(text), "INSULT": min(1.0, amount(text) + 0.05)}
    return Answer(json.dumps({"attributeScores": {name: {"summaryScore": {"value": scores[name]}} for name in scores}}))


def moderation(request: Request) -> Answer:
    texts = json.loads(request.body)["input"]
    results = [{"flagged": False, "category_scores": {**CATEGORIES, "harassment": amount(text)}} for text in texts]
    return Answer(json.dumps({"results": results}))


def amount(text: str) -> float:
    return max((float(word) for word in text.split() if word.startswith("0.")), default=0.0)


def api(name: str) -> Any:
    return {"perspective": perspective, "moderation": moderation}[name]


def refusal(status: int, message: str, **details: Any) -> Answer:
    error = {"code": status, "message": message, **({"details": [details]} if details else {})}
    return Answer(json.dumps({"error": error}), status)


async def test_perspective(server: Server) -> None:
    server.answer = perspective
    found = await scorer("perspective", server).score("a text of 0.4")
    assert found["overall"] == 0.4
    assert found["worst"] == "insult"
    assert found["scorer"] == "perspective"
    assert len(found["attributes"]) == 8
    assert found["attributes"]["sexually explicit"] == 0.01
    (request,) = server.requests
    sent = json.loads(request.body)
    assert request.path == "/v1alpha1/comments:analyze"
    assert request.headers["x-goog-api-key"] == SECRET
    assert not request.params
    assert sent["comment"]["text"] == "a text of 0.4"
    assert sent["languages"] == ["en"]
    assert sent["doNotStore"] is True
    assert set(sent["requestedAttributes"]) == set(NAMES)


async def test_moderation(server: Server) -> None:
    server.answer = moderation
    found = await scorer("moderation", server).score("a text of 0.04")
    assert found["overall"] == 0.05  # of violence; wrongdoing and self-harm are not toxicity
    assert found["worst"] == "violence"
    assert set(found["attributes"]).isdisjoint({"illicit", "self-harm"})
    (request,) = server.requests
    assert request.path == "/moderations"
    assert request.headers["authorization"] == f"Bearer {SECRET}"
    assert json.loads(request.body) == {"model": "omni-moderation-latest", "input": ["a text of 0.04"]}


@pytest.mark.parametrize("name", REMOTE)
def test_as_a_tool(name: str, server: Server) -> None:
    server.answer = api(name)
    tool = scorer(name, server)
    message = tool.invoke({"type": "tool_call", "id": "1", "name": name, "args": {"text": "0.5"}})
    assert (
        message.content == {"perspective": "55% toxicity of insult", "moderation": "50% toxicity of harassment"}[name]
    )
    assert message.artifact["overall"] == 0.5
    assert tool.measures
    assert SECRET not in repr(tool)


@pytest.mark.parametrize("name", REMOTE)
async def test_order_is_kept_and_equal_texts_are_asked_once(name: str, server: Server) -> None:
    server.answer = api(name)
    texts = [f"0.{n}" for n in range(100, 140)] + ["0.100", " 0.101 ", ""]
    with metered() as meter:
        found = await scorer(name, server).score_all(texts)
    assert [one["overall"] for one in found] == [
        max(amount(text), 0.05 if text and name == "moderation" else 0) for text in texts
    ]
    assert len(server.requests) == {"perspective": 40, "moderation": 3}[name]
    assert meter.spent["tool_runs"] == 40


@pytest.mark.parametrize("name", REMOTE)
async def test_a_text_with_nothing_in_it(name: str, server: Server) -> None:
    assert [one["overall"] for one in await scorer(name, server).score_all(["", " \n", "\u202e"])] == [0, 0, 0]
    assert await scorer(name, server).score_all([]) == []
    assert not server.requests


async def test_a_text_that_is_too_long_is_scored_in_pieces(server: Server) -> None:
    server.answer = perspective
    text = "é " * 15_000 + "0.7 " + "word " * 2_000
    found = await scorer("perspective", server).score(text)
    assert found["overall"] == 0.7
    sent = [json.loads(request.body)["comment"]["text"] for request in server.requests]
    assert len(sent) == 3
    assert all(len(piece.encode()) <= 20_480 for piece in sent)
    server.requests.clear()
    await scorer("perspective", server).score("".join(f"{n:05}" for n in range(10_000)))
    assert len(server.requests) == 3


@pytest.mark.parametrize("name", REMOTE)
async def test_scores_are_kept_on_disk_text_by_text(name: str, server: Server) -> None:
    server.answer = api(name)
    await scorer(name, server).score_all(["0.1", "0.2"])
    server.requests.clear()
    with metered() as meter:
        found = await scorer(name, server).score_all(["0.3", "0.2", "0.1"])
    assert [one["overall"] for one in found] == [0.3, 0.2, 0.1]
    assert len(server.requests) == 1
    assert meter.spent == {"tool_runs": 1}
    await scorer(name, server, cache=False).score("0.1")
    assert len(server.requests) == 2


@pytest.mark.parametrize("name", REMOTE)
async def test_bad_luck_is_tried_again(name: str, server: Server) -> None:
    server.answer = lambda request: Answer(status=429) if len(server.requests) < 3 else api(name)(request)
    assert (await scorer(name, server, retries=2).score("0.6"))["overall"] == 0.6
    assert len(server.requests) == 3


@pytest.mark.parametrize("name", REMOTE)
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
        (Answer('{"attributeScores": [], "results": [{"category_scores": {"hate": 1}}]}'), "without the"),
    ],
)
async def test_a_failure_is_no_score(name: str, server: Server, answer: Answer, says: str) -> None:
    server.answer = lambda request: answer
    with metered() as meter, pytest.raises(ToolError, match=says) as error:
        await scorer(name, server, retries=1).score_all(["a", "b"])
    assert not meter.spent
    assert SECRET not in "".join(map(str, chain(error.value)))
    server.answer = api(name)
    assert (await scorer(name, server).score("a"))["overall"] < 0.1  # and no failure is kept


def chain(error: BaseException | None) -> list[BaseException]:
    return [error, *chain(error.__cause__ or error.__context__)] if error else []


@pytest.mark.parametrize("value", ["NaN", "1.5", "-0.1", '"0.5"', "true", "null"])
@pytest.mark.parametrize("name", REMOTE)
async def test_a_score_that_is_none(name: str, server: Server, value: str) -> None:
    server.answer = lambda request: Answer(str(api(name)(request).body).replace("0.25", value))
    with pytest.raises(ToolError, match="other than scores"):
        await scorer(name, server).score("0.25")


async def test_a_batch_that_comes_back_short(server: Server) -> None:
    server.answer = lambda request: Answer(json.dumps({"results": [{"category_scores": CATEGORIES}]}))
    with pytest.raises(ToolError, match="other than scores"):
        await scorer("moderation", server).score_all(["a", "b"])


@pytest.mark.parametrize("kind", ["LANGUAGE_NOT_SUPPORTED_BY_ATTRIBUTE", "LANGUAGE_DETECTION_FAILED"])
async def test_a_language_that_perspective_does_not_know(server: Server, kind: str) -> None:
    server.answer = lambda request: refusal(400, "Attribute FLIRTATION does not support: it", errorType=kind)
    with pytest.raises(ToolError, match="set `languages`"):
        await scorer("perspective", server).score("ciao")
    tool = PerspectiveToxicity.of(base_url=server.url, languages=())
    server.answer = perspective
    await tool.score("ciao")
    assert "languages" not in json.loads(server.requests[-1].body)


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        (refusal(400, "API key not valid", reason="API_KEY_INVALID"), "PERSPECTIVE_API_KEY"),
        (Answer(status=404), "check the address"),
        (Answer(status=410), "another scorer"),
    ],
)
async def test_the_end_of_perspective(server: Server, answer: Answer, says: str) -> None:
    server.answer = lambda request: answer
    with pytest.raises(ToolError, match=rf"ends with 2026[^$]*{says}|{says}[^$]*ends with 2026"):
        await scorer("perspective", server).score("a")


@pytest.mark.parametrize("name", REMOTE)
async def test_a_slow_server_is_given_up(name: str, server: Server) -> None:
    server.answer = lambda request: Answer("x" * 100, drip=0.05)
    with pytest.raises(ToolError, match=r"within 0\.3 s"):
        await scorer(name, server, timeout=0.3).score("a")


@pytest.mark.parametrize("name", REMOTE)
async def test_nobody_there(name: str) -> None:
    with pytest.raises(ToolError, match="cannot be reached"):
        await toxicity_tool(name, base_url="http://127.0.0.1:9", retries=0).score("a")


async def test_the_others_stop_where_one_fails(server: Server) -> None:
    server.answer = lambda request: Answer(status=400)
    with pytest.raises(ToolError):
        await scorer("perspective", server).score_all([f"text {n}" for n in range(100)])
    assert len(server.requests) <= 16


async def test_requests_keep_their_distance(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also retries, two tools for one server, and a wait that is longer than the timeout."""
    waits: list[float] = []
    reserve = Pace.reserve

    def noted(pace: Pace) -> float:
        waits.append(reserve(pace))
        return waits[-1]

    def answer(request: Request) -> Answer:
        return Answer(status=503) if len(server.requests) == 2 else perspective(request)

    monkeypatch.setattr(Pace, "reserve", noted)
    monkeypatch.setattr("errata.tools.toxicity.remote.time", SimpleNamespace(monotonic=lambda: 0.0))
    server.answer = answer
    tools = [scorer("perspective", server, requests_per_second=10.0, timeout=0.4) for _ in range(2)]
    await asyncio.gather(*(tool.score_all([f"{tool is tools[0]} {n}" for n in range(4)]) for tool in tools))
    assert len(server.requests) == 9
    assert waits == pytest.approx([n / 10 for n in range(9)])


def test_one_request_per_second_unless_told() -> None:
    tools = [toxicity_tool(name) for name in REMOTE]
    assert isinstance(tools[0], PerspectiveToxicity)
    assert isinstance(tools[1], ModerationToxicity)
    assert tools[0].requests_per_second == 1.0
    assert tools[1].requests_per_second is None


@pytest.mark.parametrize(
    ("name", "variable", "says"),
    [("perspective", "PERSPECTIVE_API_KEY", "takes no new users"), ("moderation", "OPENAI_API_KEY", "get a key")],
)
def test_without_a_key(name: str, variable: str, says: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(variable, " ")
    with pytest.raises(ConfigurationError, match=f"{variable} is not set.*{says}"):
        toxicity_tool(name)
    monkeypatch.setenv(variable, f"{SECRET}\nX-Evil: 1")
    with pytest.raises(ErrataError, match="one line of ASCII") as error:
        toxicity_tool(name)
    assert SECRET not in str(error.value)
