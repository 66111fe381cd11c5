"""Reaching a chat model: what cannot work is said before anything is asked, and requests keep within their bounds."""

import asyncio
import time
from types import SimpleNamespace
from typing import Any

import pytest
from langchain_core.messages import HumanMessage
from langchain_openai import ChatOpenAI
from pydantic import Field, SecretStr

from errata.models import model_name
from errata.models.providers.endpoint import connect
from errata.models.providers.provider import check_model
from errata.models.providers.request import Request
from errata.state import Context
from errata.state.errors import ConfigurationError, ModelError

from ...fakes import FakeChatModel

MESSAGES = [HumanMessage("Hello")]


class StatusError(Exception):
    """An HTTP error as the clients of most providers raise it."""

    def __init__(self, status: int, message: str = "refused") -> None:
        super().__init__(message)
        self.status_code = status
        self.response: Any = None


async def ask(context: Context) -> str:
    async with connect(context) as endpoint:
        return (await endpoint.ask(Request(MESSAGES))).text


@pytest.fixture(autouse=True)
def _no_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)


@pytest.fixture
def _no_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("errata.models.providers.bounds._wait", lambda attempt: 0)


@pytest.mark.parametrize(
    ("settings", "advice"),
    [
        ({"model": "openai:gpt-5-mini"}, "OPENAI_API_KEY"),
        ({"model": "openai:", "base_url": "http://127.0.0.1:1/v1"}, "openai:gpt-5-mini"),
        ({"model": "openai"}, "openai:gpt-5-mini"),
        ({"model": "anthropic:claude", "base_url": "http://127.0.0.1:1/v1"}, "base_url goes with"),
        ({"model": "nobody:nothing"}, "init_chat_model"),
        ({"model": "nonsense"}, "provider:model"),
    ],
)
def test_a_model_that_cannot_work_is_refused_with_advice(settings: dict[str, object], advice: str) -> None:
    with pytest.raises(ConfigurationError, match=advice) as raised:
        check_model(Context(**settings))  # type: ignore[arg-type]
    assert "\n" not in str(raised.value)


def test_openai_s_key_is_not_for_another_provider_s_address(monkeypatch: pytest.MonkeyPatch) -> None:
    """LangChain's client for LangSmith's gateway falls back on it."""
    for name in ("LANGSMITH_API_KEY", "LANGSMITH_GATEWAY_API_KEY", "OPENAI_API_BASE", "OPENAI_BASE_URL"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("OPENAI_API_KEY", "sk-of-openai")
    with pytest.raises(ConfigurationError, match="a key of its own"):
        check_model(Context(model="langsmith:openai/gpt-5-mini"))
    monkeypatch.setenv("LANGSMITH_API_KEY", "of-langsmith")
    check_model(Context(model="langsmith:openai/gpt-5-mini"))


def test_checking_a_model_asks_it_nothing() -> None:
    model = FakeChatModel(replies=["x"])
    check_model(Context(model=model))
    assert model.asked == []


def test_reports_name_the_model() -> None:
    assert model_name(Context()) == "SmolLM2-135M-Instruct"
    assert model_name(Context(model="openai:gpt-5-mini")) == "openai:gpt-5-mini"
    assert model_name(Context(model=FakeChatModel(replies=["x"]))) == "FakeChatModel"


@pytest.mark.usefixtures("_no_waiting")
@pytest.mark.parametrize("fault", [StatusError(429), StatusError(503), ConnectionResetError("reset")])
async def test_a_passing_fault_is_met_with_another_try(fault: Exception) -> None:
    model = FakeChatModel(replies=[fault, fault, "Hi"])
    assert await ask(Context(model=model, retries=2)) == "Hi"
    assert len(model.asked) == 3


async def test_a_server_that_asks_for_a_wait_of_no_length_is_asked_again(monkeypatch: pytest.MonkeyPatch) -> None:
    busy, waits = StatusError(429), []
    busy.response = SimpleNamespace(headers={"retry-after": "nan"})
    sleep = asyncio.sleep

    async def remembered(seconds: float) -> None:
        waits.append(seconds)
        await sleep(0)

    monkeypatch.setattr(asyncio, "sleep", remembered)
    assert await ask(Context(model=FakeChatModel(replies=[busy, "Hi"]), retries=1)) == "Hi"
    assert any(0 < seconds <= 30 for seconds in waits)


@pytest.mark.usefixtures("_no_waiting")
async def test_tries_are_bounded() -> None:
    model = FakeChatModel(replies=[StatusError(503, "overloaded")])
    with pytest.raises(ModelError, match="FakeChatModel: overloaded"):
        await ask(Context(model=model, retries=2))
    assert len(model.asked) == 3


@pytest.mark.parametrize("fault", [StatusError(401), StatusError(403), ValueError("bad"), TimeoutError()])
async def test_a_fault_that_will_not_pass_is_not_tried_again(fault: Exception) -> None:
    model = FakeChatModel(replies=[fault, "Hi"])
    with pytest.raises(ModelError):
        await ask(Context(model=model))
    assert len(model.asked) == 1


async def test_a_slow_model_is_given_up() -> None:
    model = FakeChatModel(replies=["Hi"], latency=3600)
    with pytest.raises(ModelError, match=r"no answer within 0.05 seconds"):
        await ask(Context(model=model, timeout=0.05))
    assert model.peak == 1, "it was asked"


async def test_no_more_requests_are_under_way_than_allowed() -> None:
    model = FakeChatModel(replies=["Hi"], latency=0.01)
    context = Context(model=model, max_concurrency=3)
    await asyncio.gather(*(ask(context) for _ in range(12)))
    assert model.peak == 3


async def test_tasks_with_another_temperature_share_the_bound() -> None:
    model = FakeChatModel(replies=["Hi"], latency=0.01)
    context = Context(model=model, max_concurrency=2)
    async with connect(context) as endpoint:
        await asyncio.gather(*(endpoint.ask(Request(MESSAGES, temperature=heat)) for heat in (0.7, 0.0) * 4))
    assert model.peak == 2


async def test_waiting_for_another_try_does_not_hold_up_others(monkeypatch: pytest.MonkeyPatch) -> None:
    waits = asyncio.Event()

    def wait(attempt: object) -> float:
        waits.set()
        return 3600.0

    monkeypatch.setattr("errata.models.providers.bounds._wait", wait)
    model = FakeChatModel(replies=[StatusError(429), "Hi"])
    context = Context(model=model, max_concurrency=1)
    unlucky = asyncio.create_task(ask(context))
    await waits.wait()
    assert await ask(context) == "Hi"
    assert not unlucky.done()
    unlucky.cancel()


async def test_a_client_is_made_once_for_all_who_ask_at_the_same_time(monkeypatch: pytest.MonkeyPatch) -> None:
    made = []

    def make(*_: object) -> FakeChatModel:
        time.sleep(0.02)
        made.append(FakeChatModel(replies=["Hi"]))
        return made[-1]

    monkeypatch.setattr("errata.models.providers.endpoint.open_model", make)
    context = Context(model="openai:stub", base_url="http://127.0.0.1:1/v1")
    assert await asyncio.gather(*(ask(context) for _ in range(8))) == ["Hi"] * 8
    assert len(made) == 1


async def test_a_server_that_refuses_everything_without_a_word_is_given_up() -> None:
    """The form that objects are asked for in is left out twice: at first the schema, and then the object."""
    model = _Refusing(model="m", base_url="http://127.0.0.1:1", api_key=SecretStr("x"))
    schema = {"title": "Any", "type": "object", "properties": {}}
    async with connect(Context(model=model, retries=0)) as endpoint:
        with pytest.raises(ModelError, match="no"):
            await endpoint.ask(Request(MESSAGES, schema=schema))
    assert model.forms == ["json_schema", "json_object", None]


async def test_what_a_failed_request_was_refused_for_is_not_learnt() -> None:
    """A server that quotes the text of a request in its error may name anything."""
    echo = "invalid prompt, cannot process: '... response_format temperature max_completion_tokens ...'"
    model = _Refusing(model="m", base_url="http://127.0.0.1:1", api_key=SecretStr("x"), words=[echo])
    schema = {"title": "Any", "type": "object", "properties": {}}
    async with connect(Context(model=model, retries=0)) as endpoint:
        with pytest.raises(ModelError, match="invalid prompt"):
            await endpoint.ask(Request(MESSAGES, schema=schema))
        assert not endpoint.habits.refused


async def test_a_form_refused_by_name_after_one_that_was_not_is_asked_for_no_more() -> None:
    model = _Refusing(model="m", base_url="http://127.0.0.1:1", api_key=SecretStr("x"), words=["no", "json_object"])
    schema = {"title": "Any", "type": "object", "properties": {}}
    async with connect(Context(model=model, retries=0)) as endpoint:
        with pytest.raises(ModelError):
            await endpoint.ask(Request(MESSAGES, schema=schema))
    assert model.forms == ["json_schema", "json_object", None]


async def test_a_limit_of_the_model_s_own_that_does_not_fit_is_asked_about_once_more_and_no_oftener() -> None:
    words = ["maximum context length exceeded"]
    model = _Refusing(
        model="m", base_url="http://127.0.0.1:1", api_key=SecretStr("x"), max_completion_tokens=9, words=words
    )
    async with connect(Context(model=model, retries=0)) as endpoint:
        with pytest.raises(ModelError, match="context length"):
            await endpoint.ask(Request(MESSAGES))
    assert len(model.forms) == 2


class _Refusing(ChatOpenAI):
    """Refuses every request, with these words in turn, and the last of them for ever."""

    words: list[str] = Field(default_factory=lambda: ["no"])
    forms: list[Any] = Field(default_factory=list)

    async def _agenerate(self, *_: Any, extra_body: Any = None, **__: Any) -> Any:
        await asyncio.sleep(0)
        assert len(self.forms) < 9, "asked again and again"
        self.forms.append(((extra_body or {}).get("response_format") or {}).get("type"))
        raise StatusError(400, self.words.pop(0) if len(self.words) > 1 else self.words[0])


async def test_runs_with_bounds_of_their_own_share_the_count_of_requests() -> None:
    """Each keeps to its own bound, and all together never exceed the highest."""
    model = FakeChatModel(replies=["Hi"], latency=0.01)
    bounds = [1, 2, 3, 4] * 6
    assert await asyncio.gather(*(ask(Context(model=model, max_concurrency=most)) for most in bounds)) == ["Hi"] * 24
    assert model.peak == 4


async def test_who_wants_fewer_requests_at_once_does_not_hold_up_others() -> None:
    model = FakeChatModel(replies=["Hi"], latency=0.01)
    first = asyncio.create_task(ask(Context(model=model, max_concurrency=2)))
    await asyncio.sleep(0)
    alone = asyncio.create_task(ask(Context(model=model, max_concurrency=1)))
    others = [asyncio.create_task(ask(Context(model=model, max_concurrency=2))) for _ in range(4)]
    await asyncio.gather(first, *others, alone)
    assert model.peak == 2


async def test_a_wait_that_is_cancelled_gives_its_place_to_the_next() -> None:
    model = FakeChatModel(replies=["Hi"], latency=0.01)
    context = Context(model=model, max_concurrency=1)
    tasks = [asyncio.create_task(ask(context)) for _ in range(10)]
    await asyncio.sleep(0.015)
    for task in tasks[1::2]:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    assert [task.cancelled() for task in tasks[1::2]].count(True) >= 4
    assert await ask(context) == "Hi"
    assert model.peak == 1


async def test_waiting_for_a_turn_takes_neither_time_nor_a_place(monkeypatch: pytest.MonkeyPatch) -> None:
    """One request in thirty years may be sent, and the next is waited for asleep."""
    slept: list[float] = []
    sleep = asyncio.sleep

    async def asleep(seconds: float) -> None:
        slept.append(seconds)
        await sleep(min(seconds, 60))

    monkeypatch.setattr("errata.models.providers.bounds.asyncio.sleep", asleep)
    model = FakeChatModel(replies=["Hi"])
    slow = Context(model=model, requests_per_second=1e-9, max_concurrency=1)
    assert await ask(slow) == "Hi"
    slept.clear()
    waiting = asyncio.create_task(ask(slow))
    for _ in range(20):
        await sleep(0)
    assert await ask(Context(model=model, max_concurrency=1)) == "Hi"
    assert [seconds for seconds in slept if seconds > 0] == [pytest.approx(1e9, rel=0.01)]
    waiting.cancel()


async def test_settings_of_many_runs_leave_nothing_open() -> None:
    model = FakeChatModel(replies=["Hi"])
    lines = set()
    for number in range(1, 300):
        context = Context(model=model, timeout=10 + number, max_concurrency=number, requests_per_second=1e6 * number)
        async with connect(context) as endpoint:
            lines.add(id(endpoint.line))
    assert len(lines) == 1
