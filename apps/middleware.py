"""Correcting the final answer of a LangChain agent, before anybody reads it."""

import logging
from itertools import accumulate
from typing import Any

from langchain.agents.middleware import AgentMiddleware, AgentState
from langchain_core.messages import AIMessage, AnyMessage, HumanMessage
from langchain_core.runnables import RunnableConfig
from langgraph.constants import TAG_NOSTREAM
from langgraph.errors import GraphBubbleUp
from langgraph.graph.state import CompiledStateGraph
from langgraph.runtime import Runtime

from ..graphs import METHODS, rarr
from ..state import Context, Result, replay, segments
from ..state.given import refuse_unread
from ..state.hosts import trusted
from .run import check
from .tool import tool_name

log = logging.getLogger(__name__)

KEY = "errata"
"""Under this key the message's `response_metadata` holds the Result, or `{"error": reason}`."""

_QUIET: RunnableConfig = {"tags": [TAG_NOSTREAM]}
"""What a method's model writes is not the agent's answer: it stays out of the agent's stream of messages."""


class CorrectFinalAnswer(AgentMiddleware[AgentState[Any], Any, Any]):
    """Checks and corrects what an agent answers, with the user's last question for context.

        create_agent(model, tools, middleware=[CorrectFinalAnswer(context=Context(sources="handbook/"))])

    The corrected message takes the place of the agent's last one and keeps its id. Its `response_metadata["errata"]`
    holds the whole Result: edits, evidence, verdicts, usage; where an agent has two of these, that of the last, and the
    other's as its `previous`. If the correction fails, the answer stays as it was, a warning is logged and
    `response_metadata["errata"]["error"]` says why. A message without text, or with tool calls, is left alone. The text
    of a message in blocks is read as one, a block a line; edits stay in their blocks.

    With `Context(review=True)` the agent pauses at every proposed edit, if it has a checkpointer; resume it with
    `Command(resume={"decisions": [{"type": "approve"}]})`, as the graph itself.

    An agent that streams tokens has shown the uncorrected answer by then: read the final message instead.
    """

    def __init__(
        self,
        graph: CompiledStateGraph[Any, Context, Any, Any] = rarr.graph,
        context: Context | dict[str, Any] | None = None,
        name: str | None = None,
    ) -> None:
        """Correct with a method.

        Args:
            graph: A compiled graph of `errata.graphs`, without a checkpointer of its own.
            context: Settings of its runs.
            name: What the agent's graph and traces call it. An agent that has the same method twice needs two names.

        Raises:
            pydantic.ValidationError: If `context` is a dict that makes no Context.
            ConfigurationError: If its settings cannot work: a missing key or folder, an unknown search or backend; or
                if `context` is a dict with a setting that the method does not read.
        """
        super().__init__()
        self._name = name or tool_name(graph.name)
        self.graph: Any = graph
        # Always given: without one the graph would see the agent's own runtime context.
        self.context = Context.model_validate(context or {})
        if graph.name in METHODS:  # of another graph we don't know what it needs
            if isinstance(context, dict):
                refuse_unread(graph.name, context, METHODS[graph.name].reads)
            check(graph.name, self.context, drafting=False)

    @property
    def name(self) -> str:
        """What the agent's graph calls it: `correct_with_rarr`, unless it was given a name."""
        return self._name

    def after_agent(self, state: AgentState[Any], runtime: Runtime[Any]) -> dict[str, Any] | None:
        answer = _final_answer(state["messages"])
        if answer is None:
            return None
        try:
            result = self.graph.invoke(_input(answer, state["messages"]), _QUIET, context=trusted(self.context))
        except GraphBubbleUp:  # a pause for review is no failure
            raise
        except Exception as error:
            return _failed(answer, error)
        return _corrected(answer, result)

    async def aafter_agent(self, state: AgentState[Any], runtime: Runtime[Any]) -> dict[str, Any] | None:
        answer = _final_answer(state["messages"])
        if answer is None:
            return None
        try:
            result = await self.graph.ainvoke(_input(answer, state["messages"]), _QUIET, context=trusted(self.context))
        except GraphBubbleUp:  # a pause for review is no failure
            raise
        except Exception as error:
            return _failed(answer, error)
        return _corrected(answer, result)


def _final_answer(messages: list[AnyMessage]) -> AIMessage | None:
    last = messages[-1] if messages else None
    return last if isinstance(last, AIMessage) and not last.tool_calls and last.text.strip() else None


def _input(answer: AIMessage, messages: list[AnyMessage]) -> dict[str, str]:
    asked = [message.text for message in messages if isinstance(message, HumanMessage)]
    return {"text": _text(answer.content), "question": asked[-1] if asked else ""}


def _corrected(answer: AIMessage, result: Result) -> dict[str, Any]:
    content = answer.content if result["text"] == _text(answer.content) else _with_text(answer.content, result)
    if result["stopped"] == "error":
        log.warning("the final answer was not checked through: %s", result["reason"])
    return {"messages": [_noted(answer, content, dict(result))]}


def _failed(answer: AIMessage, error: Exception) -> dict[str, Any]:
    reason = " ".join(f"{type(error).__name__}: {error}".split())[:300]
    log.warning("the final answer was not corrected: %s", reason)
    return {"messages": [_noted(answer, answer.content, {"error": reason})]}


def _noted(answer: AIMessage, content: str | list[Any], note: dict[str, Any]) -> AIMessage:
    if earlier := answer.response_metadata.get(KEY):  # of other middleware of this kind, before
        note = {**note, "previous": earlier}
    # Not additional_kwargs: some integrations send those back to the model.
    metadata = {**answer.response_metadata, KEY: note}
    return answer.model_copy(update={"content": content, "response_metadata": metadata})


def _text(content: str | list[Any]) -> str:
    """All of the text, each block on a line of its own, so that sentences of two blocks don't run together."""
    return content if isinstance(content, str) else "\n".join(map(_said, filter(_said, content)))


def _said(block: Any) -> str:
    """The text of a block; empty for one of another kind, such as reasoning."""
    if isinstance(block, str):
        return block
    return str(block.get("text") or "") if block.get("type") == "text" else ""


def _with_text(content: str | list[Any], result: Result) -> str | list[Any]:
    """The content with the corrected text, block by block. Blocks that are no text stay as and where they are."""
    if isinstance(content, str):
        return result["text"]
    texts = iter(_by_block([len(_said(block)) for block in content if _said(block)], result))
    corrected = [_reworded(block, next(texts)) if _said(block) else block for block in content]
    return [block for block, before in zip(corrected, content, strict=True) if _said(block) or not _said(before)]


def _reworded(block: Any, text: str) -> Any:
    return text if isinstance(block, str) else {**block, "text": text}


def _by_block(lengths: list[int], result: Result) -> list[str]:
    """The corrected text cut up as the original is into blocks. What replaces words of several goes into the first."""
    if replay(result["original"], result["edits"]) != result["text"]:
        return [result["text"], *("" for _ in lengths[1:])]
    ends = list(accumulate(lengths, lambda end, length: end + 1 + length))
    texts = [""] * len(lengths)
    at = 0
    for part in segments(result["original"], result["edits"]):
        to = at + len(part["before"])
        if part["edits"]:
            texts[next(block for block, end in enumerate(ends) if at <= end)] += part["after"]
        else:
            for block, end in enumerate(ends):
                texts[block] += result["original"][max(at, end - lengths[block]) : max(min(to, end), 0)]
        at = to
    return texts
