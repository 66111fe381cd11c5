"""Calls of tools, and several samples, through a real client, from servers that know the interface in part."""

import asyncio
from typing import Any

import pytest
from langchain_core.messages import AIMessage, ToolMessage

from benchmarks.stub import BROKEN, Answer, Ask, Reply, Stub, in_turn, refusal, refusing
from errata.models import task, turns
from errata.models.tasks import TASKS
from errata.models.tasks.critic import Turn
from errata.models.tasks.drafting import Samples
from errata.state import Context
from errata.state.errors import ModelError
from errata.state.runs.meter import metered

from ..fakes import FakeChatModel

GIVEN = {
    "question": "Which river?",
    "text": "The Danube.",
    "answer": "",
    "messages": [],
    "tools": ["search"],
    "last": False,
}
LOOKS = Reply(tool_calls=(("search", {"query": "Brahms"}),))
RIVERS = ("So the answer is: the Elbe.", "So the answer is: the Oder.", "So the answer is: the Elbe!")
THREE = Reply(RIVERS[0], more=RIVERS[1:])


def settings(stub: Stub, **more: Any) -> Context:
    return Context(**{"model": "openai:stub", "base_url": stub.base_url, "retries": 0, **more})


async def take(stub: Stub, **more: Any) -> Turn:
    turn = await task(settings(stub), TASKS["qa_critique"]).ainvoke({**GIVEN, **more})
    assert isinstance(turn, Turn)
    return turn


def offered(ask: Ask) -> list[str]:
    return [tool["function"]["name"] for tool in ask.body.get("tools", [])]


async def test_the_request_is_what_the_interface_asks_for() -> None:
    with Stub(lambda ask: LOOKS) as stub:
        turn = await take(stub)
    (ask,) = stub.asks
    assert (turn.tool, turn.argument) == ("search", "Brahms")
    assert offered(ask) == ["search", "conclude"]
    assert ask.body["tool_choice"] == "required"


async def test_several_tools_may_be_asked_for_at_once() -> None:
    looks = [("search", {"query": query}) for query in ("Brahms", "Hamburg", "Brahms", *"abcdef")]
    with Stub(lambda ask: Reply(tool_calls=tuple(looks[:2]))) as stub:
        turn = await take(stub)
    assert [each.argument for each in (turn, *turn.also)] == ["Brahms", "Hamburg"]
    assert turn.message
    assert len(turn.message.tool_calls) == 2
    with Stub(lambda ask: Reply(tool_calls=(*looks, ("conclude", {"accepted": True})))) as stub:
        turn = await take(stub)
    assert [each.argument for each in (turn, *turn.also)] == ["Brahms", "Hamburg", "a", "b", "c"]
    assert turn.message is None  # it has calls that nobody answers
    with Stub(lambda ask: Reply(tool_calls=(("conclude", {"accepted": True}), looks[0]))) as stub:
        turn = await take(stub)
    assert (turn.tool, turn.also) == ("conclude", [])


async def test_a_call_and_what_the_tool_said_go_back_as_they_came() -> None:
    with Stub(lambda ask: Reply(tool_calls=(("conclude", {"accepted": True}),))) as stub:
        said = [
            AIMessage("Where?", tool_calls=[{"name": "search", "args": {"query": "Brahms"}, "id": "call-0"}]),
            ToolMessage("[Brahms] Hamburg.", name="search", tool_call_id="call-0"),
        ]
        assert (await take(stub, messages=said, last=True)).conclusion
    (ask,) = stub.asks
    assert offered(ask) == ["conclude"]
    *_, called, told, last = ask.messages
    assert "your last turn" in last["content"]
    assert called["tool_calls"][0]["id"] == told["tool_call_id"] == "call-0"


@pytest.mark.parametrize("number", [None, "", "1"], ids=["no number", "an empty one", "the same one"])
def test_calls_that_share_a_number_are_written_anew(number: str | None) -> None:
    asked = [{"name": "search", "args": {"query": query}, "id": number} for query in ("Brahms", "Bonn")]
    turn = turns.called(AIMessage("", tool_calls=asked))
    assert [each.argument for each in (turn, *turn.also)] == ["Brahms", "Bonn"]
    assert turn.message is None


@pytest.mark.parametrize(
    ("bad", "complaint"),
    [
        (Reply(tool_calls=(("search", '{"query": "Bra'),)), "the arguments are no JSON"),
        (Reply(tool_calls=(("google", {"query": "Brahms"}),)), "there is no tool `google`"),
    ],
    ids=["broken arguments", "unknown tool"],
)
async def test_a_bad_call_is_repaired(bad: Reply, complaint: str) -> None:
    with Stub(in_turn(bad, then=lambda ask: LOOKS)) as stub:
        assert (await take(stub)).argument == "Brahms"
    assert len(stub.asks) == 2
    assert complaint in stub.asks[1].messages[-1]["content"]


async def test_a_server_that_refuses_tools_is_spoken_to_in_plain_text_from_then_on() -> None:
    with Stub(refusing("tools", then=lambda ask: "I look.\n> Search Query: Brahms")) as stub:
        turns = [await take(stub) for _ in range(3)]
        assert [turn.argument for turn in turns] == ["Brahms"] * 3
        assert [bool(offered(ask)) for ask in stub.asks] == [True, False, False, False]


async def sample(stub: Stub, n: int = 3, **more: Any) -> Samples:
    samples = await task(settings(stub, **more), TASKS["samples"]).ainvoke({"question": "Which river?", "n": n})
    assert isinstance(samples, Samples)
    return samples


def answers(samples: Samples) -> list[str]:
    return [each.answer for each in samples.samples]


def one_by_one(**more: Any) -> Answer:
    """One river for each request, whatever `n` says."""
    return lambda ask: Reply(RIVERS[ask.number % 3], **more)


async def test_samples_come_in_one_request_with_what_each_is_worth() -> None:
    with Stub(lambda ask: Reply(RIVERS[0], more=RIVERS[1:], logprobs=((-0.5, -1.5), (-3.0,), (0.0, -0.25)))) as stub:
        samples = await sample(stub, sample_temperature=0.9)
    (ask,) = stub.asks
    assert (ask.body["n"], ask.body["logprobs"], ask.body["temperature"]) == (3, True, 0.9)
    assert answers(samples) == ["the Elbe", "the Oder", "the Elbe!"]
    assert [each.logprob for each in samples.samples] == [-1.0, -3.0, -0.125]
    assert [each.text for each in samples.samples] == list(RIVERS)


async def test_one_request_is_one_call() -> None:
    with Stub(lambda ask: THREE) as stub, metered() as meter:
        await sample(stub)
    assert meter.spent["llm_calls"] == 1


async def test_a_server_without_log_probabilities_gives_samples_all_the_same() -> None:
    with Stub(refusing("logprobs", then=lambda ask: THREE)) as stub:
        samples = [await sample(stub) for _ in range(2)]
    assert [[each.logprob for each in some.samples] for some in samples] == [[None] * 3] * 2
    assert [bool(ask.body.get("logprobs")) for ask in stub.asks] == [True, False, False], "found out once"
    assert [ask.body.get("n") for ask in stub.asks] == [3, 3, 3]


async def test_a_server_that_gives_one_reply_to_a_request_is_sent_several_at_once() -> None:
    with Stub(refusing("n", then=one_by_one(logprobs=((-1.0,),))), latency=0.5) as stub:
        samples = [await sample(stub) for _ in range(2)]
        assert stub.peak == 3
    assert [len(answers(some)) for some in samples] == [3, 3]
    assert [each.logprob for each in samples[1].samples] == [-1.0] * 3
    assert [ask.body.get("n") for ask in stub.asks] == [3] + [None] * 6, "found out once"


async def test_a_server_that_knows_neither() -> None:
    with Stub(refusing("n", "logprobs", then=one_by_one())) as stub:
        samples = [await sample(stub) for _ in range(2)]
    assert [sorted(answers(some)) for some in samples] == [["the Elbe", "the Elbe!", "the Oder"]] * 2
    assert {each.logprob for some in samples for each in some.samples} == {None}


@pytest.mark.parametrize("fields", [("n",), ("logprobs",), ("n", "logprobs")])
async def test_what_a_server_knows_is_found_out_by_all_who_ask_at_once(fields: tuple[str, ...]) -> None:
    def several(ask: Ask) -> Reply:
        logprobs = ((-1.0,),) * 3 if ask.body.get("logprobs") else ()
        return Reply(THREE.text, more=THREE.more if ask.body.get("n") else (), logprobs=logprobs)

    with Stub(refusing(*fields, then=several), latency=0.02) as stub:
        runs = await asyncio.gather(*(sample(stub) for _ in range(4)))
        assert [len(answers(run)) for run in runs] == [3] * 4
        stub.forget()
        last = await sample(stub)
        assert [bool(each.logprob) for each in last.samples] == ["logprobs" not in fields] * 3
        assert len(stub.asks) == (3 if "n" in fields else 1)


async def test_a_server_that_ignores_n_is_asked_for_the_rest() -> None:
    with Stub(one_by_one(), latency=0.05) as stub:
        samples = await sample(stub)
        assert stub.peak == 2
    assert sorted(answers(samples)) == ["the Elbe", "the Elbe!", "the Oder"]
    assert [ask.body.get("n") for ask in stub.asks] == [3, None, None]


def some_break(*numbers: int) -> Answer:
    return lambda ask: BROKEN if ask.number in numbers else Reply(RIVERS[0])


@pytest.mark.parametrize(
    ("fields", "broken", "left"),
    [((), (1,), 2), ((), (1, 2), 1), (("n",), (2,), 2), (("n",), (1, 3), 1)],
)
async def test_some_of_several_requests_may_fail(fields: tuple[str, ...], broken: tuple[int, ...], left: int) -> None:
    with Stub(refusing(*fields, then=some_break(*broken))) as stub:
        assert answers(await sample(stub)) == ["the Elbe"] * left


@pytest.mark.parametrize("fields", [(), ("n",), ("n", "logprobs")])
@pytest.mark.parametrize(
    ("how", "reason"),
    [(BROKEN, "The server had an error"), (refusal(401, "wrong key"), "wrong key"), (refusal(400, "bad"), "bad")],
)
async def test_no_sample_at_all_is_an_error(fields: tuple[str, ...], how: Reply, reason: str) -> None:
    with Stub(refusing(*fields, then=lambda ask: how)) as stub, pytest.raises(ModelError, match=reason):
        await sample(stub)


async def test_empty_samples_do_not_count_and_nothing_but_such_is_an_error() -> None:
    with Stub(lambda ask: Reply("", more=(RIVERS[0], " "))) as stub:
        assert answers(await sample(stub)) == ["the Elbe"]
    with (
        Stub(lambda ask: Reply("", more=("", " "))) as stub,
        pytest.raises(ModelError, match=r"all 3 samples failed; .* a sample is empty"),
    ):
        await sample(stub)


async def test_one_sample_is_one_plain_request() -> None:
    with Stub(lambda ask: RIVERS[0]) as stub:
        assert answers(await sample(stub, n=1)) == ["the Elbe"]
        assert len(stub.asks) == 1


async def test_other_models_are_sent_several_requests_at_once() -> None:
    model = FakeChatModel(replies=[RIVERS[0], *RIVERS], latency=0.1)
    asked = {"question": "Which river?"}
    await task(Context(model=model), TASKS["samples"]).ainvoke({**asked, "n": 1})  # to find out what the model takes
    samples = await task(Context(model=model), TASKS["samples"]).ainvoke({**asked, "n": 3})
    assert (sorted(answers(samples)), model.peak) == (["the Elbe", "the Elbe!", "the Oder"], 3)
