"""What every node does around its function: the meter, the settings of the run, the time that is left."""

import asyncio
from typing import Any

import pytest
from langgraph.graph import START, StateGraph

from errata.nodes.begin import begun
from errata.nodes.step import StepFunction, failed, of_run, step
from errata.state import Context
from errata.state.errors import ModelError
from errata.state.methods.running import RunState
from errata.state.runs.deadline import PASSED
from errata.state.runs.meter import spend


async def begin(state: RunState, context: Context) -> dict[str, Any]:
    spend(searches=1)
    return begun(state, context)


def graph(function: StepFunction) -> Any:
    made = StateGraph(RunState, context_schema=Context)
    made.add_node("begin", step(begin, first=True))
    made.add_node("work", step(function))
    made.add_edge(START, "begin")
    made.add_edge("begin", "work")
    return made.compile()


@pytest.mark.parametrize("sync", [True, False])
def test_what_steps_use_adds_up_whichever_way_they_are_run(sync: bool) -> None:
    async def work(state: Any, context: Context) -> dict[str, Any]:
        await asyncio.gather(*(asyncio.to_thread(spend, searches=1) for _ in range(3)))
        return {"reason": f"{context.pages} pages"}

    runs, given = graph(work), {"text": "Hello."}
    context = Context(pages=3)
    result = runs.invoke(given, context=context) if sync else asyncio.run(runs.ainvoke(given, context=context))
    assert (result["reason"], result["usage"]["searches"], bool(result["worked"])) == ("3 pages", 4, True)


async def test_a_run_that_is_stopped_by_its_deadline_says_so() -> None:
    async def work(state: Any, context: Context) -> dict[str, Any]:
        return {"stopped": "error", "reason": f"some of it is unchecked: {PASSED}"}

    assert (await graph(work).ainvoke({"text": "Hello."}))["stopped"] == "deadline"


async def test_a_failure_is_told_with_its_step() -> None:
    async def work(state: Any, context: Context) -> dict[str, Any]:
        return failed("work", ModelError("the model is down"))

    result = await graph(work).ainvoke({"text": "Hello."})
    assert result["failures"] == [{"step": "work", "reason": "the model is down", "unchecked": True}]


async def test_a_step_that_is_sent_to_knows_its_run() -> None:
    seen: dict[str, Any] = {}

    async def work(state: Any, context: Context) -> dict[str, Any]:
        seen.update(of_run(state))
        return {}

    await graph(work).ainvoke({"text": "Hello."}, context=Context(pages=4))
    assert set(seen) == {"settings", "worked"}
    assert "pages" in str(seen["settings"])
