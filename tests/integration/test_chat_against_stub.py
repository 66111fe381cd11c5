"""The chat backend through a real client, against a server that misbehaves."""

import asyncio
import gc
import json
import time
from typing import Any

import pytest

from benchmarks.stub import BROKEN, NO_SCHEMAS, Answer, Ask, Reply, Stub, in_turn, refusal
from errata.models import task
from errata.models.tasks import TASKS
from errata.state import Context
from errata.state.errors import ModelError
from errata.state.runs.meter import metered

from ..fakes import AGREES

GOOD = json.dumps(AGREES)
PAIR = {"text": "It opened in 1885.", "question": "", "query": "When?", "evidence": "In 1883.", "title": "Bridge"}

OUT_OF_TOKENS = Reply("{", finish="length")


async def judge(stub: Stub, **settings: Any) -> str:
    context = Context(model="openai:stub", base_url=stub.base_url, **settings)
    return (await task(context, TASKS["agreement"]).ainvoke(PAIR)).label  # type: ignore[no-any-return]


async def judged(answer: Answer, **settings: Any) -> tuple[str, Stub]:
    with Stub(answer) as stub:
        return await judge(stub, **settings), stub


def saying(text: str) -> Answer:
    return lambda ask: text


async def test_the_request_is_what_the_interface_asks_for() -> None:
    label, stub = await judged(saying(GOOD))
    (ask,) = stub.asks
    assert label == "entailment"
    assert ask.schema == "Agreement"
    assert ask.body["model"] == "stub"
    assert ask.body["temperature"] == 0.0
    assert ask.body.get("max_tokens", ask.body.get("max_completion_tokens")) == 2_048


async def test_a_slow_answer_is_waited_for() -> None:
    with Stub(saying(GOOD), latency=0.3) as stub:
        assert await judge(stub) == "entailment"
        assert len(stub.asks) == 1


@pytest.mark.parametrize(
    "fault",
    [
        refusal(429, "slow down", retry_after="0"),
        BROKEN,
        refusal(503, "overloaded", retry_after="0"),
        Reply(fault="reset"),
        Reply(GOOD, fault="cut"),
    ],
    ids=["429", "500", "503", "reset", "cut"],
)
async def test_a_passing_fault_passes(fault: Reply) -> None:
    label, stub = await judged(in_turn(fault, then=GOOD), retries=1)
    assert (label, len(stub.asks)) == ("entailment", 2)


async def test_the_server_says_when_to_come_back() -> None:
    _, stub = await judged(in_turn(refusal(429, "slow down", retry_after="1"), then=GOOD))
    first, second = stub.visits
    assert 1.0 <= second.began - first.ended < 3.0


async def test_a_server_that_stays_broken_is_a_model_error() -> None:
    with Stub(lambda ask: BROKEN) as stub:
        with pytest.raises(ModelError, match=r"openai:stub: .*The server had an error") as raised:
            await judge(stub, retries=2)
        assert len(stub.asks) == 3
    assert "\n" not in str(raised.value)


async def test_a_server_that_is_not_there_is_a_model_error() -> None:
    with Stub(saying(GOOD)) as stub:
        address = stub.base_url
    with pytest.raises(ModelError, match="openai:stub: Connection error"):
        await task(Context(model="openai:stub", base_url=address, retries=0), TASKS["agreement"]).ainvoke(PAIR)


@pytest.mark.parametrize(
    "garbage",
    ["", "I think so.", GOOD[:-9], "{}", "null", '{"label": 7}', "[" * 5_000, OUT_OF_TOKENS],
    ids=["empty", "words", "truncated", "nothing", "null", "wrong", "deep", "out of tokens"],
)
async def test_garbage_is_repaired(garbage: str | Reply) -> None:
    label, stub = await judged(in_turn(garbage, then=GOOD), repairs=1)
    assert (label, len(stub.asks)) == ("entailment", 2)


@pytest.mark.parametrize("garbage", ["I think so.", GOOD[:-9]])
async def test_garbage_for_ever_is_a_model_error(garbage: str) -> None:
    with Stub(saying(garbage)) as stub:
        with pytest.raises(ModelError, match="no usable reply to `agreement` in 3 tries"):
            await judge(stub, repairs=2)
        assert len(stub.asks) == 3


@pytest.mark.parametrize("body", [b"<html>Bad gateway</html>", b"", b'{"choices": []}', b"[1, 2]"])
async def test_a_server_that_speaks_something_else_is_a_model_error(body: bytes) -> None:
    with Stub(lambda ask: Reply(body=body)) as stub, pytest.raises(ModelError) as raised:
        await judge(stub, retries=0, repairs=0)
    assert "\n" not in str(raised.value)


async def test_a_server_that_never_answers_is_given_up() -> None:
    with Stub(lambda ask: Reply(fault="hang")) as stub:
        with pytest.raises(ModelError, match=r"no answer within 0\.3 seconds"):
            await judge(stub, timeout=0.3)
        assert len(stub.asks) == 1


async def test_a_wrong_key_is_said_at_once_and_the_key_is_not(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret-1234567890")
    with Stub(lambda ask: refusal(401, "Incorrect API key provided")) as stub:
        with pytest.raises(ModelError, match="Incorrect API key") as raised:
            await judge(stub)
        (ask,) = stub.asks
    assert ask.headers["authorization"] == "Bearer sk-secret-1234567890"
    assert "sk-secret" not in str(raised.value)
    assert "sk-secret" not in json.dumps(ask.body)


async def test_a_key_that_the_server_repeats_is_not_repeated_to_others(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret-1234567890")
    repeated = refusal(401, "Incorrect API key provided: sk-secret-1234567890")
    with Stub(lambda ask: repeated) as stub, pytest.raises(ModelError) as raised:
        await judge(stub)
    assert "sk-secret-1234567890" not in str(raised.value)


async def test_a_server_without_schemas_is_asked_in_words_and_that_is_remembered() -> None:
    def answer(ask: Ask) -> str | Reply:
        return NO_SCHEMAS if ask.schema == "Agreement" else f"```json\n{GOOD}\n```"

    with Stub(answer) as stub:
        labels = [await judge(stub) for _ in range(3)]
        assert [ask.schema for ask in stub.asks] == ["Agreement", "json_object", "json_object", "json_object"]
    assert labels == ["entailment"] * 3


async def test_a_tool_call_is_an_answer() -> None:
    label, _ = await judged(lambda ask: Reply(tool_calls=(("Agreement", AGREES),), finish="tool_calls"))
    assert label == "entailment"


async def test_no_more_requests_are_under_way_than_allowed() -> None:
    with Stub(saying(GOOD), latency=0.03) as stub:
        await asyncio.gather(*(judge(stub, max_concurrency=4) for _ in range(20)))
        assert stub.peak == 4


async def test_no_more_requests_a_second_are_sent_than_allowed() -> None:
    with Stub(saying(GOOD)) as stub:
        await asyncio.gather(*(judge(stub, requests_per_second=10) for _ in range(6)))
        began = sorted(visit.began for visit in stub.visits)
    assert began[-1] - began[0] >= 0.4


async def test_calls_and_tokens_are_counted_repairs_included() -> None:
    with Stub(in_turn("I think so.", then=GOOD)) as stub, metered() as meter:
        await judge(stub)
    read = sum(len(str(message["content"]).split()) for ask in stub.asks for message in ask.messages)
    assert meter.spent == {
        "llm_calls": 2,
        "input_tokens": read,
        "output_tokens": len("I think so.".split()) + len(GOOD.split()),
        "repairs": 1,
    }


def test_one_event_loop_after_another_works() -> None:
    with Stub(saying(GOOD)) as stub:
        assert [asyncio.run(judge(stub)) for _ in range(3)] == ["entailment"] * 3


@pytest.mark.filterwarnings("ignore:unclosed transport:ResourceWarning")
def test_the_connections_of_an_event_loop_end_with_it() -> None:
    async def crowd(stub: Stub) -> None:
        await asyncio.gather(*(judge(stub, max_concurrency=2) for _ in range(6)))

    with Stub(saying(GOOD), latency=0.01) as stub:
        for _ in range(6):
            asyncio.run(crowd(stub))
            gc.collect()
        time.sleep(0.1)
        assert stub.connections <= 4, "those of the last loop, and perhaps of the one before it"
