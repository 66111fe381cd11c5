"""The tools that a model may call in its turns, and the step that runs its calls."""

import asyncio
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
from ..models.tasks.critic import CONCLUDE, THINK, OwnTool
from ..state import Context, Evidence, Failure
from ..state.errors import ConfigurationError, RunError
from ..state.runs.deadline import in_time
from ..state.runs.meter import spend
from ..state.runs.secrets import redacted
from ..tools import evidence
from ..tools.search import cut
from .cite import gathered
from .research import cut_page, searching
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


class ToolResult(TypedDict):
    """The result of a call, besides the text for the model."""

    evidence: Evidence | None
    bears: bool
    """Whether it can support a text: a failed program cannot, nor can the score of a text's tone."""
    failure: str
    """Why the tool failed; empty if it worked."""
    offending: list[str]
    """For a score: the words that are offensive by themselves."""


def own_tools(givables: Sequence[Givable]) -> dict[str, BaseTool]:
    """The caller's own tools, by name.

    Raises:
        ConfigurationError: If something cannot be a tool, or a name is already taken.
    """
    own: dict[str, BaseTool] = {}
    for givable in givables:
        try:
            converted = givable if isinstance(givable, BaseTool) else tool(givable)
        except (TypeError, ValueError) as error:
            name = getattr(givable, "__name__", repr(givable))
            raise ConfigurationError(f"`{name}` is not a tool: {error}; give a LangChain tool or a function") from None
        if not NAME.fullmatch(converted.name) or converted.name in (*TOOLS, *own, CONCLUDE):
            raise ConfigurationError(
                f"a tool can't be called {converted.name!r:.80}: give it a unique name of letters, digits and _"
            )
        own[converted.name] = converted
    return own


def described(own: Mapping[str, BaseTool]) -> dict[str, OwnTool]:
    """The caller's own tools, as described to a model."""
    functions = {name: convert_to_openai_tool(each)["function"] for name, each in own.items()}
    return {
        name: {"description": function["description"], "parameters": function.get("parameters", {})}
        for name, function in functions.items()
    }


def tools(*names: str, own: Mapping[str, BaseTool] = MappingProxyType({})) -> StepFunction:
    """Make the step that runs the calls of the last turn: LangGraph's ToolNode with our tools and the caller's."""

    async def observing(request: ToolCallRequest, execute: Execute) -> ToolMessage | Command[Any]:
        return await (
            _own_result(request.tool_call, lambda: execute(request), settings(request.state).timeout)
            if request.tool_call["name"] in own
            else execute(request)
        )

    node = ToolNode([*(TOOLS[name] for name in names), *own.values()], awrap_tool_call=observing)

    async def tools(state: Any, context: Context) -> dict[str, Any]:
        messages = _numbered((await node.ainvoke(state))["messages"], state["messages"])
        calls = {call["id"]: call for call in state["messages"][-1].tool_calls}
        for message in messages:
            call = calls[message.tool_call_id]
            emit("tools", tool=message.name, argument=str(next(iter(call["args"].values()), "")), said=message.text)
        results: list[ToolResult] = [message.artifact for message in messages if message.artifact]
        failures: list[Failure] = [
            {"step": str(message.name), "reason": message.artifact["failure"], "unchecked": True}
            for message in messages
            if message.artifact and message.artifact["failure"]
        ]
        return {
            "messages": messages,
            "evidence": gathered(state["evidence"], (result["evidence"] for result in results if result["evidence"])),
            "failures": failures,
        }

    return tools


async def _own_result(
    call: ToolCall, answer: Callable[[], Awaitable[ToolMessage | Command[Any]]], seconds: float
) -> ToolMessage:
    """The result of a caller's tool, as evidence under its name.

    A failure is reported, and is not evidence; so is an answer that takes more seconds.
    """
    spend(tool_runs=1)
    name, arguments = call["name"], json.dumps(call["args"], ensure_ascii=False, default=str)
    try:
        async with asyncio.timeout(seconds):
            message = await in_time(answer)
    except GraphBubbleUp:
        raise
    except Exception as error:
        reason = str(error) or (f"no answer within {seconds:g} s" if isinstance(error, TimeoutError) else repr(error))
        why = f"This could not be done: {redacted(reason)}"
        message = ToolMessage(why, name=name, tool_call_id=str(call["id"]), status="error")
    if not isinstance(message, ToolMessage):
        raise ConfigurationError(f"`{name}` gives a command, which is for another graph: a tool of a critic gives text")
    text = _cut(cut(message.text, 2 * OWN_CHARS), OWN_CHARS)
    piece = evidence(query=arguments, text=text, title=name, source=f"tool:{name}", run=True)
    has_text = bool(text) and message.status != "error"
    result: ToolResult = {"evidence": piece if has_text else None, "bears": has_text, "failure": "", "offending": []}
    content = as_shown(piece) if has_text else text or "It gave no text."
    # A tool may return a message of its own, which names another tool or call.
    own = {"content": content, "artifact": result, "name": name, "tool_call_id": str(call["id"])}
    return message.model_copy(update=own)


def shown(messages: Sequence[AnyMessage]) -> list[ToolResult]:
    """The tool results that are evidence, each once. The model sees each with its number: the first is [1]."""
    artifacts = [message.artifact for message in messages if isinstance(message, ToolMessage)]
    by_id: dict[str, ToolResult] = {}
    for artifact in artifacts:
        if artifact and artifact["evidence"]:
            by_id.setdefault(artifact["evidence"]["id"], artifact)
    return list(by_id.values())


def _numbered(messages: list[ToolMessage], before: Sequence[AnyMessage]) -> list[ToolMessage]:
    """The tool results as the model sees them: evidence with a number to cite."""
    ids = [result["evidence"]["id"] for result in shown([*before, *messages]) if result["evidence"]]
    return [
        message.model_copy(update={"content": f"[{ids.index(message.artifact['evidence']['id']) + 1}] {message.text}"})
        if message.artifact and message.artifact["evidence"]
        else message
        for message in messages
    ]


@tool(response_format="content_and_artifact")
async def search(query: str, state: Annotated[dict[str, Any], InjectedState()]) -> tuple[str, ToolResult]:
    """Look something up. Gives the best part of one page; the same query again gives the next page."""

    async def look_up() -> Outcome:
        piece = await _next_result(query, state, settings(state))
        return (as_shown(piece) if piece else "Nothing more was found."), piece, piece is not None, []

    return await _reported(look_up())


@tool(response_format="content_and_artifact")
async def run_python(code: str, state: Annotated[dict[str, Any], InjectedState()]) -> tuple[str, ToolResult]:
    """Run a Python program. Gives what the variable `answer` holds at its end, or the error."""

    async def run() -> Outcome:
        execution, piece = await executed(code, settings(state))
        return piece["text"], piece, answers(execution), []

    return await _reported(run())


@tool(response_format="content_and_artifact")
async def score_toxicity(text: str, state: Annotated[dict[str, Any], InjectedState()]) -> tuple[str, ToolResult]:
    """Score how toxic a text is."""

    async def judge() -> Outcome:
        _, piece = await scored(text, settings(state))
        return piece["title"], piece, False, await offending_words(text)

    return await _reported(judge())


@tool(THINK)
async def think(thought: str) -> str:
    """Write down a thought. Nothing answers it."""
    return "Go on, or conclude."


TOOLS = {each.name: each for each in (search, run_python, score_toxicity, think)}
ARGUMENT = {"search": "query", "run_python": "code", "score_toxicity": "text", THINK: "thought"}
"""The name of each tool's argument."""

Outcome = tuple[str, Evidence | None, bool, list[str]]
"""The text for the model, the same as evidence, whether that can support a text, and offensive words."""


async def _reported(work: Awaitable[Outcome]) -> tuple[str, ToolResult]:
    """What the model is told, and what the state keeps. A failure is reported as such, and is never evidence."""
    try:
        observation, piece, bears, offending = await work
    except RunError as error:
        refused: ToolResult = {"evidence": None, "bears": False, "failure": str(error), "offending": []}
        return f"This could not be done: {error}", refused
    return observation, {"evidence": piece, "bears": bears, "failure": "", "offending": offending}


async def _next_result(query: str, state: Mapping[str, Any], context: Context) -> Evidence | None:
    """The best search result that no critique has seen yet; for a query repeated in a critique, one ranked lower.

    A query that an earlier critique has made gives what it gave then.
    """
    before = state["messages"][: state.get("earlier", 0)]
    own, seen = state["messages"][len(before) :], [result["evidence"] for result in shown(state["messages"])]
    earlier_calls = [call for message in own[:-1] for call in getattr(message, "tool_calls", [])]
    count = [call["args"].get("query") for call in earlier_calls].count(query)
    known = [piece for piece in seen[: len(shown(before))] if piece and piece["query"] == query]
    if count < len(known):
        return known[count]
    tool = await searching(context)
    pages = await tool.search(query, RANKS)
    ids_seen = {piece["id"] for piece in seen if piece}
    for page in pages[count:]:
        best = await _best_part(query, page, context)
        if best["id"] not in ids_seen:
            return best
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
    head = line[: most - len(" …")]
    return f"{head.rpartition(' ')[0] or head} …"


def as_shown(piece: Evidence) -> str:
    """A piece of evidence on one line, so that nothing in it can pose as another piece."""
    text = " ".join(piece["text"].split())
    return f"[{piece['title']}] {text}" if piece["title"] else text
