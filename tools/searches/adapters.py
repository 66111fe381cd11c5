"""Searches that the caller supplies: LangChain retrievers, tools, Runnables and functions."""

import json
from collections.abc import Iterable, Mapping
from contextlib import suppress
from math import isfinite
from typing import TYPE_CHECKING, Any

from langchain_core.documents import Document
from langchain_core.messages import BaseMessage, ToolMessage
from langchain_core.tools import BaseTool
from langchain_core.utils.function_calling import convert_to_openai_tool

from ...state import Evidence
from ...state.errors import ConfigurationError
from ...state.parts import runnable
from ..community.swallowed import results_only
from ..search import SearchError, SearchTool, evidence

if TYPE_CHECKING:
    from ...state import Context

_QUERY_NAMES = ("query", "q", "question", "search_query", "input", "text")
_TEXTS = (
    *("raw_content", "text", "page_content", "content", "snippet", "body", "extract", "summary", "description"),
    "Result",  # how some of langchain-community's searches say that there are no results
)
_TITLES = ("title", "name", "heading", "file_name", "filename")
_SOURCES = ("source", "url", "link", "href", "uri", "file_path", "path")
_SCORES = ("score", "relevance_score", "_score")
_LISTS = ("results", "documents", "items", "hits", "organic", "context", "data")


def adapt(search: Any, context: "Context") -> SearchTool:
    """Turn any search into a SearchTool; a SearchTool is returned as it is.

    Raises:
        ConfigurationError: If a tool needs more than a query.
    """
    if isinstance(search, SearchTool):
        return search
    argument = _query_argument(search) if isinstance(search, BaseTool) else ""
    name = str(getattr(search, "name", None) or getattr(search, "__name__", None) or type(search).__name__)
    return AdaptedSearch(name=name, target=search, argument=argument, timeout=context.timeout)


class AdaptedSearch(SearchTool):
    """A search by the caller's object. Its results are not cached on disk, because we cannot tell when it changes."""

    name: str = "search"
    description: str = "Search for evidence."

    target: Any
    argument: str = ""
    """The name of the argument that takes the query, if the target is a tool."""

    def settings(self) -> dict[str, Any]:
        """Which object it is."""
        return {"object": id(self.target)}

    async def _find(self, query: str, limit: int) -> list[Evidence]:
        if self.argument:
            call = {"type": "tool_call", "id": "search", "name": self.target.name, "args": {self.argument: query}}
            answer = await self.target.ainvoke(call)
        else:
            answer = await runnable(self.target).ainvoke(query)
        if answer is None or (isinstance(answer, ToolMessage) and answer.content == "null" and not answer.artifact):
            # Often a function that forgot to return its results. A tool's None comes as JSON.
            raise SearchError("the search returned None: it must return a list, empty if it finds nothing")
        return [evidence(query=query, **parts) for parts in results_only(_parts(answer))]


def read_message(message: ToolMessage) -> list[dict[str, Any]]:
    """The texts that a tool returned, each with title, source and score; none if it failed or found nothing."""
    if message.status == "error":
        return []
    with suppress(SearchError):
        return list(results_only(_parts(message)))
    with suppress(SearchError):  # in an unknown form
        return list(results_only([_result_from({}, message.text)]))
    return []


def _query_argument(tool: BaseTool) -> str:
    """The one required argument of a search tool."""
    parameters = convert_to_openai_tool(tool)["function"].get("parameters", {})
    names: list[str] = list(parameters.get("properties", {}))
    required: list[str] = parameters.get("required", [])
    likely = [name for name in (*_QUERY_NAMES, *required, *names[:1]) if name in names]
    if not likely or any(name != likely[0] for name in required):
        raise ConfigurationError(f"the tool {tool.name!r} cannot search: it must take one argument, the query")
    return likely[0]


def _parts(answer: Any) -> list[dict[str, Any]]:
    """The texts in whatever a search may return, with their titles, sources and scores.

    Raises:
        SearchError: If the answer cannot be read.
    """
    if isinstance(answer, ToolMessage):
        return _from_message(answer)
    if isinstance(answer, Document):
        return [_result_from(answer.metadata, answer.page_content)]
    if isinstance(answer, BaseMessage):
        return _from_text(answer.text)
    if isinstance(answer, str):
        return _from_text(answer)
    if isinstance(answer, Mapping):
        return _from_mapping(answer)
    if isinstance(answer, tuple) and len(answer) == 2 and isinstance(answer[1], int | float):
        return [{**parts, "score": _number(answer[1])} for parts in _parts(answer[0])]
    if isinstance(answer, Iterable) and not isinstance(answer, bytes):
        return [parts for item in answer for parts in _parts(item)]
    raise SearchError(
        f"the search returned {type(answer).__name__}: it must return Documents, dicts with a `text`, or text"
    )


def _from_message(message: ToolMessage) -> list[dict[str, Any]]:
    if message.status == "error":
        raise SearchError(f"the search failed: {message.text[:300]}")
    if message.artifact and not isinstance(message.artifact, str):
        try:
            results = _parts(message.artifact)
        except (SearchError, RecursionError):  # the artifact is not for the model
            results = []
        if results:
            return results
    return _parts(message.content)


def _from_text(text: str) -> list[dict[str, Any]]:
    if text.lstrip().startswith(("{", "[")):
        try:
            return _parts(json.loads(text))
        except (ValueError, RecursionError, SearchError):
            pass  # it only looked like JSON
    return [_result_from({}, text)]


def _from_mapping(answer: Mapping[str, Any]) -> list[dict[str, Any]]:
    if isinstance(answer.get("evidence"), list):  # one of our results: its text came from outside
        return _parts(answer["evidence"])
    text = _first(answer, _TEXTS)
    if isinstance(text, str):
        about = answer["metadata"] if isinstance(answer.get("metadata"), Mapping) else {}
        return [_result_from({**about, **answer}, text)]
    for name in _LISTS:
        if isinstance(answer.get(name), list | tuple):
            return _parts(answer[name])
    raise SearchError(
        f"the search returned a dict with {', '.join(map(str, list(answer)[:8])) or 'nothing in it'}: "
        "it must have a `text`, or `results` with one each"
    )


def _result_from(about: Mapping[str, Any], text: str) -> dict[str, Any]:
    return {
        "text": text,
        "title": str(_first(about, _TITLES) or ""),
        "source": str(_first(about, _SOURCES) or ""),
        "score": _number(_first(about, _SCORES)),
    }


def _number(score: Any) -> float:
    """A score, if it is a number that can be compared and sent on; else 0."""
    try:
        return float(score) if isinstance(score, int | float) and isfinite(score) else 0.0
    except OverflowError:  # of an integer with hundreds of digits
        return 0.0


def _first(values: Mapping[str, Any], names: tuple[str, ...]) -> Any:
    return next((values[name] for name in names if values.get(name)), None)
