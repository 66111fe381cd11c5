"""The tools that a model may call in its turns, and the step that runs its calls."""

import json
import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Annotated, Any

from langchain_core.messages import AnyMessage, ToolCall, ToolMessage
from langchain_core.tools import BaseTool, tool
from langchain_core.utils.function_calling import convert_to_openai_tool
from langgraph.errors import GraphBubbleUp
from langgraph.prebuilt import InjectedState, ToolNode
from langgraph.prebuilt.tool_node import ToolCallRequest
from langgraph.types import Command
from typing_extensions import TypedDict

from ..models import task
from ..models.tasks.correction import RANK
from ..models.tasks.critic import CONCLUDE, OwnTool
from ..state import Context, Evidence, Failure
from ..state.errors import ConfigurationError, RunError
from ..state.runs.meter import spend
from ..state.runs.secrets import redacted
from ..tools import evidence, search_tool
from ..tools.reading.workers import in_thread
from .cite import gathered
from .research import cut_page
from .runs import answers, executed, offending_words, scored
from .step import StepFunction, emit, settings

RANKS = 7
"""How many search results a critique goes through, one at a time (CRITIC's published code)."""
EVIDENCE_CHARS = 400
"""The most characters shown of a result (CRITIC's published code)."""
OWN_CHARS = 2_000
"""The most characters shown of the result of a caller's tool."""
NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")
"""What providers accept as the name of a tool."""

Givable = BaseTool | Callable[..., Any]
"""What a caller may give a critic as a tool."""
Execute = Callable[[ToolCallRequest], Awaitable[ToolMessage | Command[Any]]]


class Came(TypedDict):
    """The result of a call, besides the text for the model."""

    evidence: Evidence | None
    bears: bool
    """Whether it can support a text: a failed program cannot, nor can the score of a text's tone."""
    failure: str
    """Why the tool failed; empty if it worked."""
    offending: list[str]
    """For a score: the words that are offensive by themselves."""


def own_tools(given: Sequence[Givable]) -> dict[str, BaseTool]:
    """The caller's own tools, by name.

    Raises:
        ConfigurationError: If something cannot be a tool, or a name is already taken.
    """
    own: dict[str, BaseTool] = {}
    for each in given:
        try:
            made = each if isinstance(each, BaseTool) else tool(each)
        except (TypeError, ValueError) as error:
            name = getattr(each, "__name__", repr(each))
            raise ConfigurationError(f"`{name}` is not a tool: {error}; give a LangChain tool or a function") from None
        if not NAME.fullmatch(made.name) or made.name in (*TOOLS, *own, CONCLUDE):
            raise ConfigurationError(
                f"a tool can't be called {made.name!r:.80}: give it a unique name of letters, digits and _"
            )
        own[made.name] = made
    return own


def described(own: Mapping[str, BaseTool]) -> dict[str, OwnTool]:
    """The caller's own tools, as described to a model."""
    functions = {name: convert_to_openai_tool(each)["function"] for name, each in own.items()}
    return {
        name: {"description": told["description"], "parameters": told.get("parameters", {})}
        for name, told in functions.items()
    }


def tools(*names: str, own: Mapping[str, BaseTool] = MappingProxyType({})) -> StepFunction:
    """Make the step that runs the calls of the last turn: LangGraph's ToolNode with our tools and the caller's."""

    async def observing(request: ToolCallRequest, execute: Execute) -> ToolMessage | Command[Any]:
        return await (
            _observed(request.tool_call, execute(request)) if request.tool_call["name"] in own else execute(request)
        )

    node = ToolNode([*(TOOLS[name] for name in names), *own.values()], awrap_tool_call=observing)

    async def tools(state: Any, context: Context) -> dict[str, Any]:
        messages = _numbered((await node.ainvoke(state))["messages"], shown(state["messages"]))
        calls = {call["id"]: call for call in state["messages"][-1].tool_calls}
        for message in messages:
            call = calls[message.tool_call_id]
            emit("tools", tool=message.name, argument=str(next(iter(call["args"].values()), "")), said=message.text)
        came: list[Came] = [message.artifact for message in messages if message.artifact]
        failures: list[Failure] = [
            {"step": str(message.name), "reason": message.artifact["failure"], "unchecked": True}
            for message in messages
            if message.artifact and message.artifact["failure"]
        ]
        return {
            "messages": messages,
            "evidence": gathered(state["evidence"], (each["evidence"] for each in came if each["evidence"])),
            "failures": failures,
        }

    return tools


async def _observed(call: ToolCall, answer: Awaitable[ToolMessage | Command[Any]]) -> ToolMessage:
    """The result of a caller's tool, as evidence under its name. A failure is reported, and is not evidence."""
    spend(tool_runs=1)
    name, asked = call["name"], json.dumps(call["args"], ensure_ascii=False, default=str)
    try:
        given = await answer
    except GraphBubbleUp:
        raise
    except Exception as error:
        why = f"This could not be done: {redacted(str(error))}"
        given = ToolMessage(why, name=name, tool_call_id=str(call["id"]), status="error")
    if not isinstance(given, ToolMessage):
        raise ConfigurationError(f"`{name}` gives a command, which is for another graph: a tool of a critic gives text")
    text = _cut(evidence(query="", text=given.text)["text"], OWN_CHARS)
    found = evidence(query=asked, text=text, title=name, source=f"tool:{name}", run=True)
    said = bool(text) and given.status != "error"
    came: Came = {"evidence": found if said else None, "bears": said, "failure": "", "offending": []}
    return given.model_copy(
        update={"content": _as_shown(found) if said else text or "It gave no text.", "artifact": came}
    )


def shown(messages: Sequence[AnyMessage]) -> list[Came]:
    """The tool results that are evidence. The model sees each piece with its number: the first is [1]."""
    artifacts = [message.artifact for message in messages if isinstance(message, ToolMessage)]
    return [came for came in artifacts if came and came["evidence"]]


def _numbered(messages: list[ToolMessage], before: list[Came]) -> list[ToolMessage]:
    """The tool results as the model sees them: evidence with a number to cite."""
    number, numbered = len(before), []
    for message in messages:
        if message.artifact and message.artifact["evidence"]:
            number += 1
            message = message.model_copy(update={"content": f"[{number}] {message.text}"})
        numbered.append(message)
    return numbered


@tool(response_format="content_and_artifact")
async def search(query: str, state: Annotated[dict[str, Any], InjectedState()]) -> tuple[str, Came]:
    """Look something up. Gives the best part of one page; the same query again gives the next page."""

    async def look_up() -> Told:
        found = await _next_result(query, state["messages"], settings(state))
        return (_as_shown(found) if found else "Nothing more was found."), found, found is not None, []

    return await _told(look_up())


@tool(response_format="content_and_artifact")
async def run_python(code: str, state: Annotated[dict[str, Any], InjectedState()]) -> tuple[str, Came]:
    """Run a Python program. Gives what the variable `answer` holds at its end, or the error."""

    async def run() -> Told:
        execution, found = await executed(code, settings(state))
        return found["text"], found, answers(execution), []

    return await _told(run())


@tool(response_format="content_and_artifact")
async def score_toxicity(text: str, state: Annotated[dict[str, Any], InjectedState()]) -> tuple[str, Came]:
    """Score how toxic a text is."""

    async def judge() -> Told:
        _, found = await scored(text, settings(state))
        return found["title"], found, False, await offending_words(text)

    return await _told(judge())


TOOLS = {each.name: each for each in (search, run_python, score_toxicity)}
ARGUMENT = {"search": "query", "run_python": "code", "score_toxicity": "text"}
"""The name of each tool's argument."""

Told = tuple[str, Evidence | None, bool, list[str]]
"""The text for the model, the same as evidence, whether that can support a text, and offensive words."""


async def _told(work: Awaitable[Told]) -> tuple[str, Came]:
    """What the model is told, and what the state keeps. A failure is reported as such, and is never evidence."""
    try:
        said, found, bears, offending = await work
    except RunError as error:
        refused: Came = {"evidence": None, "bears": False, "failure": str(error), "offending": []}
        return f"This could not be done: {error}", refused
    return said, {"evidence": found, "bears": bears, "failure": "", "offending": offending}


async def _next_result(query: str, messages: Sequence[AnyMessage], context: Context) -> Evidence | None:
    """The best search result that this critique has not seen yet; for a repeated query, one ranked lower."""
    tool = await in_thread(search_tool, context)
    pages = await tool.search(query, RANKS)
    calls = [call["args"].get("query") for message in messages for call in getattr(message, "tool_calls", [])]
    seen = {came["evidence"]["id"] for came in shown(messages) if came["evidence"]}
    for page in pages[calls.count(query) - 1 :]:
        found = await _best_part(query, page, context)
        if found["id"] not in seen:
            return found
    return None


async def _best_part(query: str, page: Evidence, context: Context) -> Evidence:
    """The window of a page that answers the query best. A short page, such as a snippet, is used whole."""
    windows = [window.text for window in cut_page(page["text"], EVIDENCE_CHARS)] or [page["text"]]
    if len(windows) > 1:
        titled = [f"{page['title']}\n{window}" for window in windows]
        ranking = await task(context, RANK).ainvoke({"query": query, "passages": titled})
        windows = [windows[max(range(len(windows)), key=lambda place: ranking.scores[place])]]
    return evidence(query=query, text=_cut(windows[0]), title=page["title"], source=page["source"], score=page["score"])


def _cut(text: str, most: int = EVIDENCE_CHARS) -> str:
    """A text on one line of limited length, cut between words if there are spaces between them."""
    line = " ".join(text.split())
    if len(line) <= most:
        return line
    kept = line[: most - len(" …")]
    return f"{kept.rpartition(' ')[0] or kept} …"


def _as_shown(found: Evidence) -> str:
    """A piece of evidence on one line, so that nothing in it can pose as another piece."""
    text = " ".join(found["text"].split())
    return f"[{found['title']}] {text}" if found["title"] else text
