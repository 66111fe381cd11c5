"""A graph in the hands of others: as a step of a LangChain pipe, and with a checkpointer that the caller brings."""

import json
import os
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from langchain_core.runnables import Runnable, RunnableBinding, RunnableLambda
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver
from langgraph.types import Command

from errata import Context
from errata.graphs import rarr
from errata.state import replay

from ..known import RIGHT, WRONG, known
from ..reviewing import APPROVE, REJECT, edited, proposed

STRICT = "LANGGRAPH_STRICT_MSGPACK"
STRICT_MSGPACK_ENABLED = os.environ.get(STRICT, "").lower() == "true"
THREAD: Any = {"configurable": {"thread_id": "1"}}


@dataclass
class Driven:
    """A graph with a checkpointer, on one thread."""

    graph: Any
    sync: bool

    async def go(self, given: Any, context: Context | None = None) -> Any:
        """One run, or the next stretch of one. A person reviews it if no other settings are given."""
        context = context or known(review=True)
        if self.sync:
            return self.graph.invoke(given, THREAD, context=context)
        return await self.graph.ainvoke(given, THREAD, context=context)

    async def state(self) -> Any:
        return self.graph.get_state(THREAD) if self.sync else await self.graph.aget_state(THREAD)


@asynccontextmanager
async def checkpointer(kind: str, asynchronous: bool, file: Path) -> AsyncIterator[Any]:
    if kind == "memory":
        yield InMemorySaver()
    elif asynchronous:
        async with AsyncSqliteSaver.from_conn_string(str(file)) as saver:
            yield saver
    else:
        with SqliteSaver.from_conn_string(str(file)) as saver:
            yield saver


def shown(paused: Any) -> tuple[str, str]:
    """The edit that a person is shown."""
    return proposed(paused)[:2]


class TestAsAStepOfAPipe:
    """Between two bars a graph runs with the settings it has by default; `test_with_settings` shows the other way."""

    TEXT = "The Eiffel Tower was completed in 1899."
    FIXED = "The Eiffel Tower was completed in 1889."

    @pytest.fixture
    def pipe(self) -> Runnable[str, str]:
        begin: Runnable[str, Any] = RunnableLambda(lambda text: {"text": text})
        return begin | rarr.graph | (lambda result: result["text"])

    def test_invoke(self, pipe: Runnable[str, str]) -> None:
        assert pipe.invoke(self.TEXT) == self.FIXED

    async def test_ainvoke(self, pipe: Runnable[str, str]) -> None:
        assert await pipe.ainvoke(self.TEXT) == self.FIXED

    def test_batch(self, pipe: Runnable[str, str]) -> None:
        assert pipe.batch([self.TEXT, self.FIXED]) == [self.FIXED] * 2

    async def test_abatch(self, pipe: Runnable[str, str]) -> None:
        assert await pipe.abatch([self.TEXT, self.FIXED]) == [self.FIXED] * 2

    def test_stream(self, pipe: Runnable[str, str]) -> None:
        assert list(pipe.stream(self.TEXT)) == [self.FIXED]

    async def test_astream(self, pipe: Runnable[str, str]) -> None:
        assert [part async for part in pipe.astream(self.TEXT)] == [self.FIXED]

    async def test_with_settings(self) -> None:
        step = RunnableBinding(bound=rarr.graph, kwargs={"context": known()})
        begin: Runnable[str, Any] = RunnableLambda(lambda text: {"text": text})
        pipe: Runnable[str, str] = begin | step | (lambda result: result["text"])
        assert (pipe.invoke(WRONG), await pipe.ainvoke(WRONG)) == (RIGHT, RIGHT)
        assert pipe.batch([WRONG, RIGHT]) == await pipe.abatch([WRONG, RIGHT]) == [RIGHT, RIGHT]


class TestWithACheckpointer:
    """The graph is compiled with a checkpointer of the caller's and driven by `go`, sync or async."""

    @pytest.fixture(params=["memory", "memory async", "sqlite", "sqlite async"])
    async def graph(self, request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Driven]:
        kind, _, face = request.param.partition(" ")
        async with checkpointer(kind, bool(face), tmp_path / "runs.sqlite") as saver:
            yield Driven(rarr.build().compile(checkpointer=saver), sync=not face)

    async def test_a_run_without_review_is_kept(self, graph: Driven) -> None:
        result = await graph.go({"text": WRONG}, known())
        state = await graph.state()
        assert state.next == ()
        assert {name: state.values[name] for name in result} == result

    async def test_a_person_accepts(self, graph: Driven) -> None:
        assert shown(await graph.go({"text": WRONG})) == ("1899", "1889")
        assert shown(await graph.go(Command(resume=APPROVE))) == ("Lyon", "Paris")
        assert (await graph.go(Command(resume=APPROVE)))["text"] == RIGHT

    async def test_a_person_sees_what_they_decide_on(self, graph: Driven) -> None:
        paused = await graph.go({"text": WRONG})
        assert proposed(paused).description.startswith(
            "Change 1 of 2. Should the text be changed like this?\n\n"
            "    The tower was built in [-1899-]{+1889+}. It stands in Lyon.\n\n"
            "Question\n\n    When was it built?\n\n"
            "Evidence\n\n    It was built in 1889.\n    The tower · known:tower\n\n"
            "Reason\n\n"
        )
        request = paused["__interrupt__"][0].value
        assert json.loads(json.dumps(request)) == request

    async def test_a_person_rejects(self, graph: Driven) -> None:
        await graph.go({"text": WRONG})
        await graph.go(Command(resume=REJECT))
        result = await graph.go(Command(resume=APPROVE))
        assert result["text"] == "The tower was built in 1899. It stands in Paris."
        assert [edit["applied"] for edit in result["edits"]] == [False, True]
        assert "a person rejected it" in result["edits"][0]["reason"]

    async def test_a_person_rewrites(self, graph: Driven) -> None:
        await graph.go({"text": WRONG})
        await graph.go(Command(resume=edited("March 1889")))
        result = await graph.go(Command(resume=APPROVE))
        assert result["text"] == "The tower was built in March 1889. It stands in Paris."
        assert replay(WRONG, result["edits"]) == result["text"]

    async def test_an_answer_of_another_form_is_asked_for_again(self, graph: Driven) -> None:
        await graph.go({"text": WRONG})
        again = proposed(await graph.go(Command(resume={"action": "accept"})))
        assert again[:2] == ("1899", "1889")
        assert again.description.startswith("That answer could not be used: send")
        assert shown(await graph.go(Command(resume=APPROVE))) == ("Lyon", "Paris")

    async def test_a_new_run_on_the_thread_starts_afresh(self, graph: Driven) -> None:
        first = await graph.go({"text": WRONG}, known())
        again = await graph.go({"text": WRONG}, known())
        untimed = [{**result, "usage": {**result["usage"], "seconds": 0}} for result in (first, again)]
        assert untimed[0] == untimed[1]

    async def test_a_new_run_drops_one_that_waits_for_a_person(self, graph: Driven) -> None:
        await graph.go({"text": WRONG})
        assert (await graph.go({"text": RIGHT}, known()))["edits"] == []

    async def test_a_paused_run_goes_on_after_a_restart(self, tmp_path: Path) -> None:
        asked: list[Any] = [{"text": WRONG}, Command(resume=APPROVE), Command(resume=APPROVE)]
        for given in asked:
            async with checkpointer("sqlite", True, tmp_path / "runs.sqlite") as saver:
                result = await Driven(rarr.build().compile(checkpointer=saver), sync=False).go(given)
        assert result["text"] == RIGHT


@pytest.mark.skipif(STRICT_MSGPACK_ENABLED, reason="this run is strict itself")
def test_all_that_is_kept_survives_strict_deserialization() -> None:
    """The variable is read when LangGraph is imported, so it takes another process."""
    here = Path(__file__)
    names = ("critic_program", "critic_qa", "critic", "drafts", "verify_and_edit")
    graphs = [here.with_name(f"test_{name}.py") for name in names]
    files = [here, *graphs, here.parents[1] / "apps" / "agents" / "test_middleware.py"]
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-x",
        "-k",
        "checkpoint",
        "-p",
        "no:cacheprovider",
        *map(str, files),
    ]
    ran = subprocess.run(
        command, env={**os.environ, STRICT: "true"}, capture_output=True, text=True, check=False, timeout=300
    )
    assert ran.returncode == 0, ran.stdout
    assert "passed" in ran.stdout
