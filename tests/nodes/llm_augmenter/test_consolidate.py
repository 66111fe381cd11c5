"""Evidence for a message: searched for, described, chained; and what is told when that fails."""

from typing import Any

from langchain_core.runnables import RunnableLambda

from errata.nodes.llm_augmenter.consolidate import consolidate
from errata.state import Context
from errata.state.errors import ModelError, ToolError

from ...fakes import FakeSearch, always
from .states import DOGS, knowing, memory

PAGES: dict[str, list[tuple[str, str]]] = {
    "dogs": [("Lodge", "Dogs are welcome. Ines Okar owns the lodge.")],
    "ines okar": [("Ines Okar", "Ines Okar is a vet. She was born in Oban. She likes cats.")],
}


def find(query: str) -> Any:
    found = PAGES.get(query.lower(), [])
    if query == "down":
        raise ToolError("the search is down")
    return found


async def positive(given: Any) -> Any:
    return {"scores": [1.0 / (1 + place) for place in range(len(given["passages"]))]}


def said(what: Any, name: str) -> Any:
    return always(what if isinstance(what, Exception) else {name: [*what]})


def context(queries: Any = ("dogs",), paths: Any = (), names: Any = ("Ines Okar",)) -> Context:
    backends: dict[str, Any] = {
        "search_queries": said(queries, "queries"),
        "entities": said(names, "names"),
        "rank": RunnableLambda(positive),
        "chain": said(paths, "paths"),
    }
    return Context(search=FakeSearch(find=find), backends=backends, cache=False)


async def test_what_is_found_is_taken_apart_and_described() -> None:
    update = await consolidate(memory(), context(paths=[[1], [2, 3]]))
    assert [piece["text"] for piece in update["evidence"]] == [
        "Dogs are welcome.",
        "Ines Okar owns the lodge.",
        "Ines Okar is a vet. She was born in Oban.",
    ]
    ids = [piece["id"] for piece in update["evidence"]]
    assert update["chains"] == [[ids[0]], [ids[1], ids[2]]]
    assert update["links"] == [{"name": "Ines Okar", "evidence": ids[1], "description": ids[2]}]
    assert (update["tried"], update["failures"]) == (["consolidate"], [])


async def test_only_what_is_on_a_path_is_kept_beside_what_was_known() -> None:
    update = await consolidate(knowing(), context(paths=[[1]]))
    assert [piece["text"] for piece in update["evidence"]] == [DOGS["text"], "Dogs are welcome."]
    assert update["links"] == []


async def test_a_search_that_fails_leaves_the_rest_and_is_told() -> None:
    update = await consolidate(memory(), context(queries=["dogs", "down"], paths=[[1]]))
    assert [each["reason"] for each in update["failures"]] == ["the search is down"]
    assert update["quorum"] == {"searches": {"asked": 2, "had": 1}}
    assert update["evidence"]


async def test_without_queries_the_message_is_one() -> None:
    made = context(queries=ModelError("the model is down"), paths=[[1]])
    update = await consolidate(memory(question="dogs"), made)
    assert [each["reason"] for each in update["failures"]] == ["the model is down"]
    assert update["evidence"]


async def test_without_a_chainer_the_first_statements_are_kept_as_they_were_found() -> None:
    update = await consolidate(memory(), context(paths=ModelError("no chainer"), names=()))
    assert [each["reason"] for each in update["failures"]] == ["no chainer"]
    assert [piece["text"] for piece in update["evidence"]] == ["Dogs are welcome.", "Ines Okar owns the lodge."]


async def test_finding_nothing_is_no_failure() -> None:
    update = await consolidate(memory(), context(queries=["cats"]))
    assert (update["evidence"], update["chains"], update["failures"]) == ([], [], [])
