"""What model calls cost: over kills, in runs that go on, and in runs that share replies."""

import asyncio
import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from benchmarks.kills import AT_ONCE, Quiet, drive, goes_on
from benchmarks.stub import Ask, Reply, Stub, refusal, refusing
from errata.apps.batch.engine import Batch, Summary, run_batch
from errata.apps.batch.start import graph_of, make_batch
from errata.models import task
from errata.models.tasks.drafting import DRAFT
from errata.state import Context
from errata.state.runs.cache import Shelf
from errata.state.runs.meter import metered
from errata.state.runs.spending import Spending, spending_from

from ..conftest import Errata

KILLS = 6


@pytest.fixture(autouse=True)
def _key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-canary")


class Counting:
    """Answers each request with a new number."""

    def __init__(self) -> None:
        self.answered = 0

    def __call__(self, ask: Ask) -> str:
        self.answered += 1
        return f"It is so. So the answer is: {self.answered}."


@pytest.fixture
def model() -> Iterator[tuple[Stub, Counting]]:
    counting = Counting()
    with Stub(refusing("n", "logprobs", then=counting)) as stub:
        yield stub, counting


def write(path: Path, *questions: str) -> Path:
    path.write_text("".join(json.dumps({"question": question}) + "\n" for question in questions))
    return path


def run(method: str, source: Path, output: Path, context: Context, **bounds: Any) -> Summary:
    batch: Batch = make_batch(method, source, output, context, **bounds)
    return asyncio.run(run_batch(batch, graph_of(method, context), Quiet()))


def results(output: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in output.read_text("utf-8").splitlines()]


def test_killed_again_and_again_a_budget_holds_and_only_what_was_in_flight_is_paid_twice(tmp_path: Path) -> None:
    found = drive(tmp_path, KILLS, random.Random(3))
    assert found["kills"] == KILLS
    assert (found["lost"], found["doubled"]) == (0, 0)
    assert found["over"] <= 0
    assert found["needed"] <= found["answered"] <= found["needed"] + KILLS * AT_ONCE
    assert found["account"] >= found["answered"]  # none is kept quiet


def test_a_budget_stops_a_row_in_its_middle_and_a_larger_one_goes_on_where_it_stopped(
    tmp_path: Path, model: Any
) -> None:
    stub, counting = model
    write(tmp_path / "in.jsonl", "How many?")
    first = goes_on(tmp_path, "out.jsonl", stub.base_url, 3)
    assert (first.stopped, first.new, counting.answered) == ("budget", 0, 3)
    assert first.ledger.usage["llm_calls"] == 3
    assert goes_on(tmp_path, "out.jsonl", stub.base_url, 3).stopped == "budget"
    assert counting.answered == 3
    last = goes_on(tmp_path, "out.jsonl", stub.base_url, None)
    assert (last.complete, counting.answered) == (True, 4)
    assert last.ledger.usage["llm_calls"] == 4
    usage = results(tmp_path / "out.jsonl")[0]["usage"]
    assert (usage["llm_calls"], usage["cached"]) == (1, 3)


def test_a_budget_of_dollars_counts_calls_of_rows_that_came_to_no_record(tmp_path: Path, model: Any) -> None:
    stub, counting = model
    source, output = write(tmp_path / "in.jsonl", "How many?", "How much?"), tmp_path / "out.jsonl"
    prices: Any = {"input_price": 1e6, "output_price": 1e6}  # a dollar a token
    context = Context(model="openai:stub", base_url=stub.base_url, samples=4, max_concurrency=1, **prices)
    summary = run("self_consistency", source, output, context, max_cost=1.0)
    assert (summary.stopped, counting.answered) == ("budget", 1)
    assert summary.ledger.usage["cost"] > 1
    assert run("self_consistency", source, output, context, max_cost=1.0).stopped == "budget"
    assert counting.answered == 1


def test_what_a_server_refuses_costs_no_budget(tmp_path: Path) -> None:
    replies = iter([refusal(429, "slow down", retry_after="0")] * 2)

    def answer(ask: Ask) -> str | Reply:
        return next(replies, "It is 4.")

    with Stub(answer) as stub:
        context = Context(model="openai:stub", base_url=stub.base_url)
        summary = run("direct", write(tmp_path / "in", "How many?"), tmp_path / "out", context, max_calls=1)
    assert summary.complete
    assert summary.ledger.usage["llm_calls"] == 1


@pytest.mark.parametrize("reply", [Reply(body=b"[1,2"), Reply(body=b""), Reply(status=504, body=b"{}")])
def test_what_a_server_may_have_worked_on_is_charged(tmp_path: Path, reply: Reply) -> None:
    with Stub(lambda ask: reply) as stub:
        context = Context(model="openai:stub", base_url=stub.base_url, retries=0, max_concurrency=1)
        source = write(tmp_path / "in", *(f"How many {n}?" for n in range(6)))
        summary = run("direct", source, tmp_path / "out", context, max_calls=3)
        assert (summary.stopped, len(stub.asks)) == ("budget", 3)


def test_samples_stay_independent_in_a_row_and_between_rows(tmp_path: Path, model: Any) -> None:
    stub, counting = model
    write(tmp_path / "in.jsonl", "How many?", "How many?")
    goes_on(tmp_path, "out.jsonl", stub.base_url, None)
    assert counting.answered == 8
    assert [result["usage"]["llm_calls"] for result in results(tmp_path / "out.jsonl")] == [4, 4]


def test_a_reply_that_could_not_be_used_is_asked_for_again(tmp_path: Path) -> None:
    texts = iter(["", "", "", "It is 4."])
    with Stub(lambda ask: next(texts)) as stub:
        source, output = write(tmp_path / "in", "How many?"), tmp_path / "out"
        context = Context(model="openai:stub", base_url=stub.base_url)
        first = run("direct", source, output, context)
        again = run("direct", source, output, context, retry_failed=True)
    assert (first.complete, again.complete) == (False, True)


def test_two_methods_pay_once_for_the_same_draft(errata: Errata, tmp_path: Path) -> None:
    data = tmp_path / "data.jsonl"
    data.write_text("".join(json.dumps({"question": f"Half of {n}?", "answer": f"#### {n}"}) + "\n" for n in range(3)))

    def answered(*more: str) -> int:
        with Stub(Counting()) as stub:
            command = ["eval", "critic_qa:no-tools", "gsm8k", str(data), "--baseline", "direct"]
            command += ["--draft", "direct", "--rounds", "0", "--workers", "1", *more]
            errata(*command, "--model", "openai:stub", "--base-url", stub.base_url)
            return len(stub.asks)

    shared = answered("-o", str(tmp_path / "shared"))
    assert answered("-o", str(tmp_path / "apart"), "--set", "keep_replies=false") == shared + 3
    assert not (tmp_path / "apart" / "replies-1").exists()


async def test_other_runs_keep_replies_if_asked_and_only_those_without_chance(tmp_path: Path, model: Any) -> None:
    stub, counting = model

    async def draft(**settings: Any) -> dict[str, float]:
        context = Context(model="openai:stub", base_url=stub.base_url, **settings)
        with metered() as meter:
            await task(context, DRAFT).ainvoke({"question": "How many?"})
        return meter.spent

    await draft()
    await draft()
    assert counting.answered == 2
    assert (await draft(keep_replies=True, temperature=0.0))["llm_calls"] == 1
    assert (await draft(keep_replies=True, temperature=0.0))["cached"] == 1
    assert counting.answered == 3
    await draft(keep_replies=True, temperature=0.5)
    await draft(keep_replies=True, temperature=0.5)
    assert counting.answered == 5


async def test_what_is_kept_is_for_the_owner_alone_and_holds_neither_key_nor_question(
    tmp_path: Path, model: Any
) -> None:
    stub, _ = model
    address = stub.base_url.replace("//", "//user:hunter2@")
    context = Context(model="openai:stub", base_url=address, temperature=0.0)
    with spending_from(Spending(replies=Shelf(tmp_path / "replies"))):
        await task(context, DRAFT).ainvoke({"question": "Where is the canary?"})
    kept = [path for path in (tmp_path / "replies-1").rglob("*")]
    assert kept
    assert {path.stat().st_mode & 0o777 for path in kept} == {0o600}
    assert (tmp_path / "replies-1").stat().st_mode & 0o777 == 0o700
    content = b"".join(path.read_bytes() for path in kept)
    assert not any(word in content for word in (b"sk-canary", b"hunter2", b"canary?"))


@pytest.mark.parametrize("content", [b'[{"type": "human", "content": "x"}]', b'{"a": 1}', b"5"])
async def test_a_foreign_thing_among_the_replies_is_no_reply(tmp_path: Path, model: Any, content: bytes) -> None:
    stub, counting = model
    shelf = Shelf(tmp_path / "replies")
    context = Context(model="openai:stub", base_url=stub.base_url, temperature=0.0)

    async def ask() -> None:
        with spending_from(Spending(replies=shelf)):
            await task(context, DRAFT).ainvoke({"question": "How many?"})

    await ask()
    from errata.state.runs.cache import disk_cache

    cache: Any = disk_cache(shelf.folder, shelf.size)
    for key in list(cache):
        cache[key] = json.loads(content)
    await ask()
    assert counting.answered == 2
