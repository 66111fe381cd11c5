"""Whatever fails, a run ends with the best text so far, and says that and why some of it is unchecked."""

import asyncio
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from langchain_core.runnables import RunnableLambda

from benchmarks import scripted
from benchmarks.stub import BROKEN, Ask, Reply, Stub, refusing
from benchmarks.waits import Delay
from errata.graphs import rarr
from errata.nodes import so_far
from errata.state import Context, Result, replay

from ..fakes import FakeSearch, always

RIGHT = scripted.text(4)
WRONG = scripted.text(4, wrong=(2, 3))
UNPARSABLE = "I would rather not say."

Fault = Callable[[Ask], bool]


@pytest.fixture
def stub() -> Iterator[Stub]:
    with Stub(scripted.brain, pages=scripted.page) as stub:
        yield stub


def settings(stub: Stub, **more: Any) -> Context:
    given = {
        "model": "openai:stub",
        "base_url": stub.base_url,
        "search": scripted.TowerSearch(origin=stub.origin),
        "allow_private_addresses": True,
        "cache": False,
        "retries": 0,
        "repairs": 1,
        "timeout": 10.0,
    }
    return Context(**{**given, **more})


async def correct(stub: Stub, graph_input: Any = None, **more: Any) -> Result:
    result: Any = await rarr.graph.ainvoke(graph_input or {"text": WRONG}, context=settings(stub, **more))
    assert replay(result["original"], result["edits"]) == result["text"]
    assert result["reason"]
    return result  # type: ignore[no-any-return]


def break_down(stub: Stub, where: Fault, how: str | Reply = BROKEN) -> None:
    stub.answer = lambda ask: how if where(ask) else scripted.brain(ask)


def about(tower: int) -> Fault:
    return lambda ask: f"How high is tower {tower}?" in str(ask.messages[-1]["content"])


def is_edit(ask: Ask) -> bool:
    """Whether a text is to be corrected by one piece of evidence."""
    return "Write the text again" in str(ask.messages[0]["content"]) and not ask.schema


def labels(result: Result) -> list[str]:
    return [verdict["label"] for verdict in result["verdicts"]]


def patience(fault: str | Reply) -> dict[str, float]:
    """As much as a run needs to have with a fault."""
    return {"timeout": 2.0} if fault == HANGING else {}


HANGING = Reply(fault="hang")
FAULTS = {"down": BROKEN, "reset": Reply(fault="reset"), "unparsable": UNPARSABLE, "hanging": HANGING}


async def test_all_is_well(stub: Stub) -> None:
    result = await correct(stub)
    assert (result["text"], result["status"], result["failures"]) == (RIGHT, "corrected", [])


@pytest.mark.parametrize("fault", FAULTS.values(), ids=FAULTS)
async def test_no_question_can_be_asked(stub: Stub, fault: str | Reply) -> None:
    break_down(stub, lambda ask: ask.schema == "Queries", fault)
    result = await correct(stub, **patience(fault))
    assert (result["text"], result["stopped"], labels(result)) == (WRONG, "error", [])
    assert "questions failed" in result["reason"]
    assert [failure["unchecked"] for failure in result["failures"]] == [True]


@pytest.mark.parametrize("rounds", [1, 2])
async def test_what_a_lost_round_would_have_asked_is_unchecked(stub: Stub, rounds: int) -> None:
    break_down(stub, lambda ask: ask.schema == "Queries" and 1 <= ask.number <= rounds)
    stub.answer = refusing("n", then=stub.answer)  # so that each round is a request
    result = await correct(stub)
    assert (result["text"], result["status"]) == (RIGHT, "corrected")
    assert [part["status"] for part in result["attribution"]] == ["not checked", *["corrected"] * 2, "not checked"]
    assert [(failure["step"], failure["unchecked"]) for failure in result["failures"]] == [("questions", True)]
    assert (result["stopped"], result["quorum"]["rounds"]) == ("error", {"asked": 3, "had": 3 - rounds})


@pytest.mark.parametrize("speculate_edits", [False, True])
@pytest.mark.parametrize("fault", FAULTS.values(), ids=FAULTS)
async def test_no_gate_can_be_asked(stub: Stub, fault: str | Reply, speculate_edits: bool) -> None:
    break_down(stub, lambda ask: ask.schema == "Agreement", fault)
    result = await correct(stub, speculate_edits=speculate_edits, **patience(fault))
    assert (result["text"], result["stopped"], result["edits"]) == (WRONG, "error", [])
    assert labels(result) == ["error"] * 4
    assert all(verdict["reason"] for verdict in result["verdicts"])
    assert "gate failed (3 more)" in result["reason"]


async def test_one_gate_cannot_be_asked(stub: Stub) -> None:
    break_down(stub, lambda ask: ask.schema == "Agreement" and about(2)(ask))
    result = await correct(stub, gating="serial")
    assert result["text"] == scripted.text(4, wrong=(2,))
    assert labels(result) == ["entailment", "error", "contradiction", "entailment"]
    assert result["stopped"] == "error"


@pytest.mark.parametrize("speculate_edits", [False, True])
@pytest.mark.parametrize(
    "fault", [BROKEN, Reply(fault="reset"), HANGING, ""], ids=["down", "reset", "hanging", "empty"]
)
async def test_no_edit_can_be_had(stub: Stub, fault: str | Reply, speculate_edits: bool) -> None:
    break_down(stub, is_edit, fault)
    result = await correct(stub, speculate_edits=speculate_edits, **patience(fault))
    assert (result["text"], result["stopped"]) == (WRONG, "error")
    assert [edit["applied"] for edit in result["edits"]] == [False, False]
    assert all("no edit could be made" in edit["reason"] for edit in result["edits"])
    assert "edit failed (1 more)" in result["reason"]


@pytest.mark.parametrize("reply", [UNPARSABLE, "I'm sorry, but I can't help with that.", "Rate limit exceeded."])
async def test_what_is_no_edit_of_the_text_is_refused(stub: Stub, reply: str) -> None:
    break_down(stub, is_edit, reply)
    result = await correct(stub)
    assert (result["text"], result["status"]) == (WRONG, "unresolved")
    assert not any(edit["applied"] for edit in result["edits"])


async def test_one_edit_cannot_be_had(stub: Stub) -> None:
    break_down(stub, lambda ask: is_edit(ask) and about(2)(ask))
    result = await correct(stub)
    assert (result["text"], result["stopped"]) == (scripted.text(4, wrong=(2,)), "error")


async def test_no_draft_can_be_had(stub: Stub) -> None:
    break_down(stub, lambda ask: not ask.schema)
    result = await correct(stub, {"question": "How high is tower 1?"})
    assert (result["text"], result["stopped"], labels(result)) == ("", "error", [])
    assert result["reason"] == "openai:stub: Error code: 500 - The server had an error"
    assert len(stub.asks) == 1, "there is nothing to ask about"


@pytest.mark.parametrize("graph_input", [{"text": WRONG}, {"question": "How high is tower 1?"}])
@pytest.mark.parametrize("fault", FAULTS.values(), ids=FAULTS)
async def test_nothing_answers(stub: Stub, fault: str | Reply, graph_input: dict[str, str]) -> None:
    if fault == UNPARSABLE and "question" in graph_input:
        pytest.skip("any words are a draft")
    break_down(stub, lambda ask: True, fault)
    result = await correct(stub, graph_input, **patience(fault))
    assert (result["text"], result["stopped"], labels(result)) == (graph_input.get("text", ""), "error", [])


async def test_no_search_can_be_made(stub: Stub) -> None:
    result = await correct(stub, search=FakeSearch(find=lambda query: 1 / 0))
    assert (result["text"], result["stopped"]) == (WRONG, "error")
    assert labels(result) == ["error"] * 4
    assert "research failed (3 more)" in result["reason"]
    assert "Agreement" not in stub.counts


async def test_one_search_cannot_be_made(stub: Stub) -> None:
    class Broken(scripted.TowerSearch):
        async def _find(self, query: str, limit: int) -> Any:
            if "tower 2" in query:
                raise OSError("no route to host")
            return await super()._find(query, limit)

    result = await correct(stub, search=Broken(origin=stub.origin))
    assert (result["text"], result["stopped"]) == (scripted.text(4, wrong=(2,)), "error")
    assert labels(result) == ["entailment", "error", "contradiction", "entailment"]
    assert "no route to host" in result["reason"]


async def test_a_search_that_hangs_is_given_up(stub: Stub) -> None:
    search = scripted.TowerSearch(origin=stub.origin, delay=Delay(30), timeout=0.1)
    result = await correct(stub, search=search)
    assert labels(result) == ["error"] * 4
    assert "no answer within 0.1 s" in result["reason"]


async def test_pages_that_cannot_be_had_leave_the_snippets(stub: Stub) -> None:
    stub.pages = lambda path: None
    result = await correct(stub)
    assert (result["text"], result["status"], result["failures"]) == (RIGHT, "corrected", [])


ANYTHING = [
    KeyError("x"),
    RuntimeError("two\nlines"),
    AssertionError(),
    TimeoutError(),
    RecursionError("deep"),
    MemoryError(),
]


@pytest.mark.parametrize("error", ANYTHING, ids=lambda error: type(error).__name__)
@pytest.mark.parametrize("task", ["queries", "rank", "agreement", "edit"])
async def test_a_task_model_of_the_callers_raises_anything(stub: Stub, task: str, error: Exception) -> None:
    result = await correct(stub, backends={task: always(error)})
    assert (result["text"], result["stopped"]) == (WRONG, "error")
    assert all(verdict["label"] == "error" for verdict in result["verdicts"] if task in ("rank", "agreement"))
    assert "\n" not in result["reason"]


async def test_a_ranker_that_breaks_in_the_end_costs_the_attribution_only(stub: Stub) -> None:
    async def rank(task_input: dict[str, Any]) -> Any:
        if RIGHT.startswith(task_input["passages"][0]):
            raise RuntimeError("tired")
        return {"scores": [float("metres" in passage) for passage in task_input["passages"]]}

    result = await correct(stub, backends={"rank": RunnableLambda(rank)})
    assert (result["text"], result["status"]) == (RIGHT, "corrected")
    cited = {edit["evidence"] for edit in result["edits"]}
    assert {piece for part in result["attribution"] for piece in part["evidence"]} == cited, "those of edits are known"
    assert [(failure["step"], failure["unchecked"]) for failure in result["failures"]] == [("attribute", False)]


@pytest.mark.parametrize("more", [{"gating": "serial"}, {"speculate_edits": True, "window": 1}])
async def test_a_run_that_is_cancelled_leaves_the_best_so_far(stub: Stub, more: dict[str, Any]) -> None:
    reached, loop = asyncio.Event(), asyncio.get_running_loop()

    def answer(ask: Ask) -> str | Reply:
        if ask.schema != "Agreement" or not about(3)(ask):
            return scripted.brain(ask)
        loop.call_soon_threadsafe(reached.set)
        return Reply(fault="hang")

    stub.answer = answer
    context = settings(stub, **{"timeout": 60, **more})
    before = asyncio.all_tasks()
    seen: dict[str, Any] = {}

    async def follow() -> None:
        async for state in rarr.graph.astream({"text": WRONG}, context=context, stream_mode="values"):
            seen.update(state)

    running = asyncio.create_task(follow())
    await reached.wait()
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    await asyncio.sleep(0.05)
    assert asyncio.all_tasks() == before, "nothing goes on behind our back"

    result = so_far(seen, context, "the run was cancelled")
    assert result["text"] == scripted.text(4, wrong=(3,))
    assert replay(WRONG, result["edits"]) == result["text"]
    assert (result["original"], result["stopped"], result["reason"]) == (WRONG, "error", "the run was cancelled")
    assert labels(result)[:2] == ["entailment", "contradiction"]
    assert result["usage"]["llm_calls"] >= 4
    assert result["usage"]["seconds"] > 0


def test_a_run_of_which_nothing_was_seen_is_a_result_all_the_same() -> None:
    result = so_far({"text": "A text."}, Context(), "the run was cancelled")
    assert set(result) == set(Result.__annotations__)
    assert (result["original"], result["text"], result["stopped"]) == ("A text.", "A text.", "error")
