"""Several searches as one."""

from typing import Any

import pytest

from errata.graphs import rarr
from errata.state import Context
from errata.state.errors import ConfigurationError
from errata.tools import SearchError, search_tool
from errata.tools.searches.fused import FusedSearch

NOON = "The ferry leaves at noon."
DUSK = "The ferry returns at dusk."
STORM = "The storm closed the harbour."


def finds(*texts: str) -> Any:
    return lambda query: [{"text": text, "source": f"pages/{text.split()[1]} {text.split()[2]}"} for text in texts]


def down(query: str) -> Any:
    raise OSError("no route to host")


def together(*searches: Any) -> Any:
    return search_tool(Context(search=list(searches), cache=False))


async def test_what_several_find_stands_first_and_once() -> None:
    found = await together(finds(STORM, NOON), finds(NOON, DUSK)).search("ferry", 5)
    assert [each["text"] for each in found] == [NOON, STORM, DUSK]
    assert found[0]["score"] == pytest.approx(1 / 62 + 1 / 61)
    assert len(await together(finds(STORM, NOON), finds(NOON, DUSK)).search("ferry", 2)) == 2


async def test_one_that_is_down_does_not_matter_unless_the_others_find_nothing() -> None:
    found = await together(down, finds(NOON)).search("ferry", 5)
    assert [each["text"] for each in found] == [NOON]
    for others in (finds(), down):
        with pytest.raises(SearchError, match="no route to host"):
            await together(down, others).search("ferry", 5)
    assert await together(finds(), finds()).search("ferry", 5) == []


def test_names_are_joined_by_a_plus() -> None:
    tool = search_tool(Context(search="local + drqa"))
    assert isinstance(tool, FusedSearch)
    assert [part.name for part in tool.parts] == ["local", "drqa"]
    wrong: list[Any] = ["local+googel", "local+", []]
    for each in wrong:
        with pytest.raises(ConfigurationError, match="choose one of"):
            search_tool(Context(search=each))


def test_a_run_with_two_searches() -> None:
    text = "The Eiffel Tower was completed in 1899."
    result = rarr.graph.invoke({"text": text}, context=Context(search="local+drqa", cache=False))
    assert result["text"] == text.replace("1899", "1889")
    assert len({piece["id"] for piece in result["evidence"]}) == len(result["evidence"])
