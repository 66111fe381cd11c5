"""Retrievers, tools and Runnables of the caller's as searches."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from langchain_core.callbacks import CallbackManagerForRetrieverRun
from langchain_core.documents import Document
from langchain_core.messages import AIMessage, ToolMessage
from langchain_core.retrievers import BaseRetriever
from langchain_core.runnables import RunnableLambda
from langchain_core.tools import tool

from errata.state import Context
from errata.state.errors import ConfigurationError
from errata.tools import SearchError, search_tool
from errata.tools.searches.adapters import adapt, read_message


class Shelf(BaseRetriever):
    documents: list[Document]

    def _get_relevant_documents(self, query: str, *, run_manager: CallbackManagerForRetrieverRun) -> list[Document]:
        return self.documents


async def test_a_retriever() -> None:
    shelf = Shelf(
        documents=[
            Document("One.", metadata={"title": "First", "source": "one.txt", "score": 0.5}),
            Document("Two.", metadata={"url": "https://two.example"}),
            Document("  "),
            Document("Three."),
        ]
    )
    found = await search_tool(Context(search=shelf)).search("numbers", 5)
    assert [(item["text"], item["title"], item["source"], item["score"]) for item in found] == [
        ("One.", "First", "one.txt", 0.5),
        ("Two.", "", "https://two.example", 0.0),
        ("Three.", "", "", 0.0),
    ]
    assert len(await search_tool(Context(search=shelf)).search("numbers", 2)) == 2


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("", []),
        ([], []),
        ("It is so.", [("It is so.", "")]),
        ("[1] It is so.", [("[1] It is so.", "")]),
        (["one", "two"], [("one", ""), ("two", "")]),
        ([{"text": "a", "link": "l"}, {"snippet": "b", "href": "m"}], [("a", "l"), ("b", "m")]),
        ({"results": [{"content": "c", "url": "u", "raw_content": "whole"}], "query": "q"}, [("whole", "u")]),
        (json.dumps({"results": [{"content": "c", "url": "u"}]}), [("c", "u")]),
        ([(Document("d", metadata={"source": "s"}), 0.3)], [("d", "s")]),
        ({"page_content": "e", "metadata": {"source": "s"}}, [("e", "s")]),
        (AIMessage([{"type": "text", "text": "said"}]), [("said", "")]),
    ],
)
async def test_what_a_search_may_return(answer: Any, expected: list[tuple[str, str]]) -> None:
    search = RunnableLambda(lambda query: answer)
    found = await search_tool(Context(search=search)).search("q", 5)
    assert [(item["text"], item["source"]) for item in found] == expected


@pytest.mark.parametrize("answer", [42, {"weather": "fine"}, [3.5], b"bytes"])
async def test_an_unknown_shape_is_an_error(answer: Any) -> None:
    with pytest.raises(SearchError, match="the search returned"):
        await search_tool(Context(search=RunnableLambda(lambda query: answer))).search("q", 5)


@tool
def forgetful(query: str) -> None:
    """Search, and forget to return anything."""


@pytest.mark.parametrize("search", [RunnableLambda(lambda query: None), forgetful])
async def test_nothing_returned_is_not_the_same_as_nothing_found(search: Any) -> None:
    with pytest.raises(SearchError, match="returned None: it must return a list"):
        await search_tool(Context(search=search)).search("q", 5)


@tool
def keywords(search_query: str, language: str = "en") -> str:
    """Search by keywords."""
    return f"Found {search_query} in {language}."


@tool(response_format="content_and_artifact")
async def library(question: str) -> tuple[str, list[Document]]:
    """Search the library."""
    return "2 documents", [Document(question, metadata={"source": "a"}), Document("b")]


@tool
def broken(query: str) -> str:
    """Does not work."""
    raise OSError("the disk is gone")


@tool
def adding(a: int, b: int) -> int:
    """Add."""
    return a + b


async def test_tools() -> None:
    assert (await search_tool(Context(search=keywords)).search("tea", 1))[0]["text"] == "Found tea in en."
    found = await search_tool(Context(search=library)).search("tea", 5)
    assert [(item["text"], item["source"]) for item in found] == [("tea", "a"), ("b", "")]


async def test_a_tool_that_fails() -> None:
    with pytest.raises(SearchError, match="broken failed: OSError: the disk is gone"):
        await search_tool(Context(search=broken)).search("tea", 1)


@pytest.mark.parametrize(
    "answer",
    [
        "No good DuckDuckGo Search Result was found",
        "No good search result found",
        [{"Result": "No good Google Search Result was found"}],
        [Document("No abstract available", metadata={"Title": "Aspirin"})],
        "No relevant results found for 'tea' on Stack Overflow.",
    ],
)
async def test_a_sentence_that_says_nothing_was_found_is_no_evidence(answer: Any) -> None:
    assert await search_tool(Context(search=RunnableLambda(lambda query: answer))).search("tea", 5) == []


@pytest.mark.parametrize(
    "answer",
    [
        [Document("Arxiv exception: Page request resulted in HTTP 429")],
        "PubMed exception: HTTP Error 500",
        "HTTPError('429 Client Error: Too Many Requests')",
    ],
)
async def test_an_exception_given_out_as_a_result_is_an_error(answer: Any) -> None:
    with pytest.raises(SearchError, match=r"the search failed: .*(429|500)"):
        await search_tool(Context(search=RunnableLambda(lambda query: answer))).search("tea", 5)


async def test_a_page_about_errors_is_evidence() -> None:
    text = "ValueError (Python) is raised for a wrong value. No good result was found by the first edition."
    assert await search_tool(Context(search=RunnableLambda(lambda query: text))).search("tea", 5)


def test_a_tool_that_cannot_search() -> None:
    with pytest.raises(ConfigurationError, match="one argument"):
        search_tool(Context(search=adding))


def test_a_search_tool_is_taken_as_it_is() -> None:
    local = search_tool(Context())
    assert search_tool(Context(search=local)) is local


def test_the_sync_face() -> None:
    search: Callable[[str], str] = lambda query: f"You asked {query}."  # noqa: E731
    assert "You asked tea." in search_tool(Context(search=RunnableLambda(search))).invoke("tea")


@pytest.mark.parametrize(
    "said", ["[" * 100_000, "[" * 900 + '"x"' + "]" * 900, '{"results": [' * 400 + '"x"' + "]}" * 400]
)
async def test_what_is_nested_too_deep_is_a_text(said: str) -> None:
    (piece,) = await adapt(lambda query: said, Context()).search("ferry", 1)
    assert piece["text"].startswith(said[:100].strip())
    (seen,) = read_message(ToolMessage(said, tool_call_id="1"))
    assert seen["text"] == said


@pytest.mark.parametrize("score", ["9" * 400, "NaN", "1e999", "-Infinity"])
async def test_a_score_that_is_no_number_to_compare_is_none(score: str) -> None:
    found = f'{{"text": "The ferry left at noon.", "score": {score}}}'
    (piece,) = await adapt(lambda query: found, Context()).search("ferry", 1)
    assert (piece["text"], piece["score"]) == ("The ferry left at noon.", 0.0)
