"""What a trace shows of a run: each step, task, search and tool under its own name, in its place."""

from typing import Any
from uuid import UUID

import pytest
from langchain_core.callbacks import BaseCallbackHandler

from errata.graphs import METHODS, build, load
from errata.models.tasks import TASKS
from errata.state import Context

from ..fakes import FakeChatModel, FakeSearch, concludes, searches
from ..fakes import FakeToolCaller as ToolCaller

TEXT = "The Eiffel Tower was completed in 1899 and stands in Lyon."
TOOLS = ("search", "run_python", "score_toxicity")
SUBGRAPHS = ("draft", "verify", "drafting", "verification")


class Tree(BaseCallbackHandler):
    """Every run that begins: its name and its parent."""

    raise_error = True

    def __init__(self) -> None:
        self.runs: dict[UUID, tuple[str, UUID | None]] = {}

    def _begins(self, serialized: Any, *_: Any, run_id: UUID, parent_run_id: UUID | None = None, **more: Any) -> None:
        self.runs[run_id] = (more.get("name") or (serialized or {}).get("name") or "", parent_run_id)

    on_chain_start = on_tool_start = on_retriever_start = on_chat_model_start = on_llm_start = _begins

    def paths(self) -> set[tuple[str, ...]]:
        """The names from the root to each run."""

        def path(run_id: UUID) -> tuple[str, ...]:
            name, parent = self.runs[run_id]
            return (*path(parent), name) if parent else (name,)

        return {path(run_id) for run_id in self.runs}


def names(method: str) -> set[str]:
    """All that a run of a method may consist of."""
    graphs = [build(method), *(build(name) for name in ("react", "direct"))]
    found = {
        method,
        "FakeChatModel",
        "page",
        "python: auto",
        "python: monty",
        "toxicity: profanity",
        *TOOLS,
        *SUBGRAPHS,
    }
    found |= {f"search: {name}" for name in ("local", "fake", "dataset")} | TASKS.keys()
    nodes = [node.runnable for graph in graphs for node in graph.nodes.values()]
    inner = [node.builder for node in nodes if hasattr(node, "builder")]
    for graph in (*graphs, *inner):
        found |= graph.nodes.keys()
        found |= {name for branches in graph.branches.values() for name in branches}
    return found


async def tree(method: str, given: Any, context: Context | None = None) -> Tree:
    seen = Tree()
    await load(method).ainvoke(given, {"callbacks": [seen]}, context=context)
    return seen


@pytest.mark.parametrize("method", METHODS)
async def test_every_run_has_a_name_and_a_place(method: str) -> None:
    model = FakeChatModel(replies=["So the answer is: 5.\n> Accepted", '{"queries": ["When?"]}'])
    given = {"question": "How many are there?", **({"gold": ["5"]} if method.startswith("rejection_sampling") else {})}
    seen = await tree(method, given, Context(model=model, search=FakeSearch(), repairs=0, cache=False))
    assert {path[0] for path in seen.paths()} == {method}, "one root"
    assert {path[-1] for path in seen.paths()} <= names(method)
    assert any(path[-1] == "FakeChatModel" and path[-2] in TASKS for path in seen.paths())


@pytest.mark.parametrize("method", ["rarr", "purr", "critic", "critic_qa", "critic_toxicity", "refchecker"])
async def test_so_it_has_by_rules(method: str) -> None:
    seen = await tree(method, {"text": TEXT, "question": "Where is it?"})
    assert {path[-1] for path in seen.paths()} <= names(method)
    assert {path[0] for path in seen.paths()} == {method}


async def test_a_task_a_search_and_what_they_are_a_part_of() -> None:
    paths = (await tree("rarr", {"text": TEXT})).paths()
    assert {
        ("rarr", "questions", "queries"),
        ("rarr", "research", "search: local"),
        ("rarr", "research", "rank"),
        ("rarr", "gate", "agreement"),
        ("rarr", "edit", "edit"),
    } <= paths


async def test_the_tools_of_a_critic() -> None:
    model = ToolCaller(replies=[searches("When?"), concludes(accepted=True, correctness="It is so.")])
    context = Context(model=model, search=FakeSearch(), cache=False)
    paths = (await tree("critic_qa", {"text": TEXT, "question": "Where is it?"}, context)).paths()
    assert ("critic_qa", "tools", "search", "search: fake") in paths
    program = (await tree("critic_program", {"text": "answer = 1 + 1", "question": "How many?"})).paths()
    assert ("critic_program", "execute", "python: auto", "python: monty") in program
    score = (await tree("critic_toxicity", {"text": "You idiot."})).paths()
    assert any(path[-1] == "toxicity: profanity" for path in score)


async def test_a_failed_search_is_seen_to_have_failed() -> None:
    failed: list[str] = []

    class Failures(BaseCallbackHandler):
        def on_chain_error(self, error: BaseException, **more: Any) -> None:
            failed.append(str(error))

    def fails(query: str) -> Any:
        raise OSError("the network is down")

    context = Context(search=FakeSearch(find=fails), cache=False)
    await load("rarr").ainvoke({"text": TEXT}, {"callbacks": [Failures()]}, context=context)
    assert any("the network is down" in error for error in failed)
