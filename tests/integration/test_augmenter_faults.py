"""LLM-Augmenter against a server that fails: what can be made up for is, and an unchecked response says so."""

from collections.abc import Iterator
from typing import Any

import pytest

from benchmarks import scripted_augmenter
from benchmarks.stub import BROKEN, Ask, Reply, Stub
from errata.graphs import llm_augmenter
from errata.state import Context, replay

from ..fakes import FakeSearch

HANGING = Reply(fault="hang")
FAULTS = {"down": BROKEN, "reset": Reply(fault="reset"), "unparsable": "I would rather not say.", "hanging": HANGING}
EVERY_FAULT = pytest.mark.parametrize("fault", FAULTS.values(), ids=FAULTS)


@pytest.fixture
def stub() -> Iterator[Stub]:
    with Stub(scripted_augmenter.brain) as stub:
        yield stub


async def respond(stub: Stub, message: str = "", **more: Any) -> Any:
    settings: dict[str, Any] = {
        "model": "openai:stub",
        "base_url": stub.base_url,
        "search": scripted_augmenter.TowerSearch(),
        "cache": False,
        "retries": 0,
        "repairs": 1,
        "timeout": 5.0,
    }
    context = Context(**{**settings, **more})
    graph_input = {"question": message or scripted_augmenter.message(7, 2)}
    result = await llm_augmenter.graph.ainvoke(graph_input, context=context)
    assert replay(result["original"], result["edits"]) == result["text"]
    return result


def break_down(stub: Stub, schema: str, how: str | Reply, when: Any = lambda ask: True) -> dict[str, Any]:
    """Let one task fail. Returns the patience that a run needs to have with it."""

    def answer(ask: Ask) -> str | Reply:
        return how if ask.schema == schema and when(ask) else scripted_augmenter.brain(ask)

    stub.answer = answer
    return {"timeout": 2.0} if how == HANGING else {}


async def test_all_is_well(stub: Stub) -> None:
    result = await respond(stub)
    assert (result["stopped"], result["failures"], len(result["scores"])) == ("accepted", [], 2)
    assert [piece["title"] for piece in result["evidence"]] == ["Tower 7", "Mason 7"]
    assert result["usage"]["llm_calls"] == 4
    assert result["usage"]["searches"] == 2  # the tower, and who built it


@EVERY_FAULT
@pytest.mark.parametrize("schema", ["Searches", "Chains"])
async def test_evidence_that_is_not_all_there_accepts_nothing(stub: Stub, schema: str, fault: Any) -> None:
    result = await respond(stub, **break_down(stub, schema, fault))
    assert (result["stopped"], result["evidence"] != []) == ("error", True)
    assert [(failure["step"], failure["unchecked"]) for failure in result["failures"]] == [("consolidate", True)]


@EVERY_FAULT
async def test_without_the_policy_rules_go_on_and_accept_nothing(stub: Stub, fault: Any) -> None:
    result = await respond(stub, policy="self_ask", **break_down(stub, "Choice", fault))
    assert (result["stopped"], bool(result["text"])) == ("error", True)
    assert [failure["step"] for failure in result["failures"]] == ["policy"]


@EVERY_FAULT
async def test_no_response_is_an_error(stub: Stub, fault: Any) -> None:
    if isinstance(fault, str):
        pytest.skip("any words are a response")
    result = await respond(stub, **break_down(stub, "", fault))
    assert (result["text"], result["stopped"], result["verdicts"]) == ("", "error", [])


@pytest.mark.parametrize("fault", [BROKEN, HANGING], ids=["down", "hanging"])
async def test_no_second_response_leaves_the_first(stub: Stub, fault: Any) -> None:
    with_feedback = lambda ask: "<feedback>" in str(ask.messages[-1]["content"])  # noqa: E731
    result = await respond(stub, **break_down(stub, "", fault, with_feedback))
    assert (result["text"], result["stopped"]) == (result["original"], "error")
    assert result["text"].startswith("Many people")


@EVERY_FAULT
@pytest.mark.parametrize(("schema", "setting"), [("Utility", {"utility": "model"})])
async def test_no_score_leaves_the_response_unchecked(stub: Stub, schema: str, setting: Any, fault: Any) -> None:
    result = await respond(stub, **setting, **break_down(stub, schema, fault))
    assert result["text"]
    assert result["stopped"] == "error"
    assert [verdict["label"] for verdict in result["verdicts"]] == ["error"]


@EVERY_FAULT
async def test_no_self_criticism_leaves_the_first(stub: Stub, fault: Any) -> None:
    result = await respond(stub, feedback="self_criticism", **break_down(stub, "Feedback", fault))
    assert (result["stopped"], len(result["scores"]), result["verdicts"][0]["label"]) == ("error", 1, "neutral")


async def test_a_search_that_is_down_is_no_lack_of_evidence(stub: Stub) -> None:
    result = await respond(stub, search=FakeSearch(find=lambda query: 1 / 0))
    assert result["text"]
    assert result["stopped"] == "error"
    assert "unchecked" in result["reason"]


@pytest.mark.parametrize("max_calls", range(1, 6))
async def test_the_budget_holds(stub: Stub, max_calls: int) -> None:
    result = await respond(stub, max_calls=max_calls)
    assert len(stub.asks) <= max_calls
    assert result["text"]
    assert result["stopped"] == ("budget" if max_calls < 4 else "accepted")
