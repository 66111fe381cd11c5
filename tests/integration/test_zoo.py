"""Every method and every task with every kind of model server that people have, and what an endpoint learns of it."""

import asyncio
import json
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from benchmarks.stub import Ask
from errata.models import task
from errata.models.tasks import TASKS
from errata.prompts import Prompt
from errata.state import Context
from errata.state.errors import ModelError
from errata.state.runs.meter import metered

from ..zoo.cases import RUNS, Run, by_example
from ..zoo.kinds import DEEPSEEK_R1, GPT_5, KINDS, LLAMA_CPP, O4, PLAIN, QWEN_3, Kind
from ..zoo.reading import prompts
from ..zoo.server import zoo

# Connections that an event loop of a test leaves open are closed by the collector.
pytestmark = pytest.mark.filterwarnings("ignore:unclosed transport:ResourceWarning")


def named(thing: Run | Kind) -> str:
    return thing.method if isinstance(thing, Run) else thing.name


@pytest.fixture(scope="module")
def expected() -> Mapping[str, Mapping[str, Any]]:
    """What each method comes to with a server that does as the interface says."""

    async def results() -> dict[str, Mapping[str, Any]]:
        found = {}
        for run in RUNS:
            with zoo(PLAIN, run.world.brain) as (stub, _):
                found[run.method] = await run.result(stub.origin, PLAIN.called)
        return found

    return asyncio.run(results())


@pytest.mark.parametrize("run", RUNS, ids=named)
def test_the_good_model_comes_to_what_it_should(run: Run, expected: Mapping[str, Mapping[str, Any]]) -> None:
    result = expected[run.method]
    assert run.text in result["text"]
    assert run.right(result)
    assert not result["failures"]


@pytest.mark.parametrize("kind", KINDS, ids=named)
@pytest.mark.parametrize("run", RUNS, ids=named)
async def test_every_method_works_with_every_kind(
    run: Run, kind: Kind, expected: Mapping[str, Mapping[str, Any]]
) -> None:
    with zoo(kind, run.world.brain) as (stub, animal):
        result = await run.result(stub.origin, kind.called, retries=0)
    assert result["failures"] == []
    assert compared(result) == compared(expected[run.method])
    assert animal.most_refused <= 1


def compared(result: Mapping[str, Any]) -> dict[str, Any]:
    """What a run came to: not the words on the way to it, which a model puts differently in plain text."""
    plain = {name: result[name] for name in ("text", "answer", "stopped", "rounds", "scores") if name in result}
    labels = [verdict["label"] for verdict in result.get("verdicts", ())]
    claims = [claim["label"] for claim in result.get("claims", ())]
    edits = [(edit["before"], edit["after"]) for edit in result.get("edits", ())]
    return {**plain, "labels": labels, "claims": claims, "edits": edits}


@pytest.mark.parametrize("kind", KINDS, ids=named)
async def test_every_task_is_read_from_every_kind(kind: Kind) -> None:
    with zoo(kind, by_example) as (stub, animal):
        context = settings(stub.base_url, kind)
        for definition, prompt in prompts():
            output = await task(context, definition).ainvoke(task_input(definition.variables, prompt))
            shown = example(prompt)
            is_whole = shown and prompt.words.format != "turns"
            expected = said(definition.shown.model_validate(shown), shown) if is_whole else shown
            assert said(output, shown) == expected, definition.name
    assert animal.most_refused <= 1


def task_input(inputs: frozenset[str], prompt: Prompt) -> dict[str, Any]:
    """The input of a task's last example."""
    plain = {
        "messages": [],
        "tools": ["search"],
        "last": False,
        "n": 1,
        "seed": 1,
        "scores": [],
        "links": [],
        "own": {},
    }
    lists = {name: ["It is so."] for name in ("passages", "sentences", "claims", "pairs")}
    given = prompt.words.examples[-1].input if prompt.words.examples else {"text": "It is so.", "question": "Is it so?"}
    return {name: given.get(name, {**plain, **lists}.get(name, "")) for name in inputs}


def example(prompt: Prompt) -> dict[str, Any]:
    """What the last example comes to. Of a conclusion its end: in plain text, what comes before is not told apart."""
    if not prompt.words.examples:
        return {}
    output = prompt.words.examples[-1].output
    if prompt.words.format != "turns":
        return output
    return {"accepted": True} if output.get("accepted") else {"text": output["text"]}


def said(output: Any, names: Iterable[str]) -> dict[str, Any]:
    """Some fields of an output, or of what it concludes, or of its only sample."""
    output = getattr(output, "conclusion", None) or (output.samples[0] if hasattr(output, "samples") else output)
    return {name: json.loads(output.model_dump_json())[name] for name in names}


def settings(base_url: str, kind: Kind, **more: Any) -> Context:
    return Context(**{"model": f"openai:{kind.called}", "base_url": base_url, "retries": 0, "repairs": 0, **more})


AGREEMENT = {"text": "It opened in 1885.", "question": "", "evidence": "In 1883.", "title": "Bridge"}
TURN = {"text": "The Danube.", "answer": "", "messages": [], "tools": ["search"], "last": False}


@pytest.mark.parametrize("kind", KINDS, ids=named)
async def test_what_is_refused_is_learnt_once_by_all_who_ask(kind: Kind) -> None:
    inputs: dict[str, Any] = {
        "agreement": lambda number: {**AGREEMENT, "query": f"When, number {number}?"},
        "qa_critique": lambda number: {**TURN, "question": f"Which river, number {number}?"},
        "samples": lambda number: {"question": f"How many, number {number}?", "n": 3},
    }
    with zoo(kind, by_example) as (stub, animal):
        context = settings(stub.base_url, kind, max_concurrency=20)
        for _ in range(2):
            for name, given in inputs.items():
                asked = [task(context, TASKS[name]).ainvoke(given(number)) for number in range(20)]
                await asyncio.gather(*asked)
            assert animal.most_refused <= 1
        assert not repeated([ask for _, ask, _ in animal.refused], stub.asks)


def repeated(refused: list[Ask], asks: list[Ask]) -> list[str]:
    """Requests that were sent again, unchanged, after they had been refused."""
    sent = Counter(json.dumps(ask.body, sort_keys=True) for ask in asks)
    return [body for body in (json.dumps(ask.body, sort_keys=True) for ask in refused) if sent[body] > 1]


async def test_requests_that_were_refused_are_no_calls() -> None:
    with zoo(LLAMA_CPP, by_example) as (stub, animal), metered() as meter:
        await task(settings(stub.base_url, LLAMA_CPP), TASKS["qa_critique"]).ainvoke(
            {**TURN, "question": "Which river?"}
        )
    assert meter.spent["llm_calls"] == len(stub.asks) - len(animal.refused)


async def test_a_model_that_thinks_past_its_room_gets_more_and_then_always_has_it() -> None:
    with zoo(replace(QWEN_3, thinks=9_000), by_example) as (stub, animal):
        for _ in range(3):
            output = await task(settings(stub.base_url, QWEN_3), TASKS["agreement"]).ainvoke(
                {**AGREEMENT, "query": "When?"}
            )
            assert output.label
    assert 1 <= len(animal.cut) <= 2
    assert not animal.cut[-1].number > 2


async def test_a_reply_that_stays_cut_off_is_an_error_that_says_so() -> None:
    with zoo(replace(QWEN_3, thinks=50_000, context=40_000), by_example) as (stub, _):
        with pytest.raises(ModelError, match=r"cut off.*max_output_tokens"):
            await task(settings(stub.base_url, QWEN_3), TASKS["agreement"]).ainvoke({**AGREEMENT, "query": "When?"})
        assert len(stub.asks) <= 3


@pytest.mark.parametrize("kind", [GPT_5, O4], ids=named)
async def test_a_cap_of_the_users_own_is_kept(kind: Kind) -> None:
    with zoo(kind, by_example) as (stub, _):
        context = settings(stub.base_url, kind, max_output_tokens=20)
        with pytest.raises(ModelError, match="max_output_tokens"):
            await task(context, TASKS["agreement"]).ainvoke({**AGREEMENT, "query": "When?"})
        assert {ask.body["max_completion_tokens"] for ask in stub.asks} == {20}


async def test_thoughts_that_are_cut_off_are_no_answer() -> None:
    with zoo(DEEPSEEK_R1, by_example) as (stub, _):
        context = settings(stub.base_url, DEEPSEEK_R1, max_output_tokens=20)
        for name in ("agreement", "draft", "qa_critique"):
            given = {**AGREEMENT, **TURN, "query": "When?", "question": "Which river?"}
            with pytest.raises(ModelError, match="cut off"):
                await task(context, TASKS[name]).ainvoke(given)


async def test_thinking_is_counted_apart() -> None:
    with zoo(GPT_5, by_example) as (stub, _), metered() as meter:
        await task(settings(stub.base_url, GPT_5), TASKS["agreement"]).ainvoke({**AGREEMENT, "query": "When?"})
    assert meter.spent["reasoning_tokens"] == 900
    assert meter.spent["output_tokens"] > 900


def test_every_kind_stands_in_the_documentation() -> None:
    page = (Path(__file__).parents[2] / "docs" / "models.md").read_text("utf-8")
    rows = page.partition("| kind |")[2].splitlines()[2:]
    assert [row.split(" | ")[0].removeprefix("| ") for row in rows if row.startswith("| ")] == list(map(named, KINDS))
