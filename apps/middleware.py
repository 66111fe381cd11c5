"""Correcting the final answer of a LangChain agent, before anybody reads it."""

from typing import Any

from langchain.agents.middleware import AgentMiddleware, AgentState
from langchain_core.messages import AIMessage, AnyMessage, HumanMessage
from langchain_core.runnables import RunnableConfig
from langgraph.constants import TAG_NOSTREAM
from langgraph.errors import GraphBubbleUp
from langgraph.graph.state import CompiledStateGraph
from langgraph.runtime import Runtime

from ..graphs import rarr
from ..state import Context, Result

KEY = "errata"
"""Under this key the message's `response_metadata` holds the Result, or `{"error": reason}`."""

_QUIET: RunnableConfig = {"tags": [TAG_NOSTREAM]}
"""What a method's model writes is not the agent's answer: it stays out of the agent's stream of messages."""


class CorrectFinalAnswer(AgentMiddleware[AgentState[Any], Any, Any]):
    """Checks and corrects what an agent answers, with the user's last question for context.

        create_agent(model, tools, middleware=[CorrectFinalAnswer(context=Context(sources="handbook/"))])

    The corrected message takes the place of the agent's last one and keeps its id. Its `response_metadata["errata"]`
    holds the whole Result: edits, evidence, verdicts, usage. If the correction fails, the answer stays as it was and
    `response_metadata["errata"]["error"]` says why. A message without text, or with tool calls, is left alone.

    With `Context(review=True)` the agent pauses at every proposed edit, if it has a checkpointer; resume it with
    `Command(resume={"action": "accept"})`, as the graph itself.

    An agent that streams tokens has shown the uncorrected answer by then: read the final message instead.
    """

    def __init__(
        self,
        graph: CompiledStateGraph[Any, Context, Any, Any] = rarr.graph,
        context: Context | dict[str, Any] | None = None,
    ) -> None:
        """Correct with a method.

        graph
            A compiled graph of `errata.graphs`, without a checkpointer of its own.
        context
            Settings of its runs.

        Raises pydantic.ValidationError if `context` is a dict that makes no Context.
        """
        super().__init__()
        self.graph = graph
        # Always given: without one the graph would see the agent's own runtime context.
        self.context = Context.model_validate(context or {})

    def after_agent(self, state: AgentState[Any], runtime: Runtime[Any]) -> dict[str, Any] | None:
        answer = _final_answer(state["messages"])
        if answer is None:
            return None
        try:
            result = self.graph.invoke(_input(answer, state["messages"]), _QUIET, context=self.context)
        except GraphBubbleUp:  # a pause for review is no failure
            raise
        except Exception as error:
            return _failed(answer, error)
        return _corrected(answer, result)  # type: ignore[arg-type]

    async def aafter_agent(self, state: AgentState[Any], runtime: Runtime[Any]) -> dict[str, Any] | None:
        answer = _final_answer(state["messages"])
        if answer is None:
            return None
        try:
            result = await self.graph.ainvoke(_input(answer, state["messages"]), _QUIET, context=self.context)
        except GraphBubbleUp:  # a pause for review is no failure
            raise
        except Exception as error:
            return _failed(answer, error)
        return _corrected(answer, result)  # type: ignore[arg-type]


def _final_answer(messages: list[AnyMessage]) -> AIMessage | None:
    last = messages[-1] if messages else None
    return last if isinstance(last, AIMessage) and not last.tool_calls and last.text.strip() else None


def _input(answer: AIMessage, messages: list[AnyMessage]) -> dict[str, str]:
    asked = [message.text for message in messages if isinstance(message, HumanMessage)]
    return {"text": answer.text, "question": asked[-1] if asked else ""}


def _corrected(answer: AIMessage, result: Result) -> dict[str, Any]:
    content = answer.content if result["text"] == answer.text else _with_text(answer.content, result["text"])
    return {"messages": [_noted(answer, content, dict(result))]}


def _failed(answer: AIMessage, error: Exception) -> dict[str, Any]:
    reason = " ".join(f"{type(error).__name__}: {error}".split())[:300]
    return {"messages": [_noted(answer, answer.content, {"error": reason})]}


def _noted(answer: AIMessage, content: str | list[Any], note: dict[str, Any]) -> AIMessage:
    # Not additional_kwargs: some integrations send those back to the model.
    metadata = {**answer.response_metadata, KEY: note}
    return answer.model_copy(update={"content": content, "response_metadata": metadata})


def _with_text(content: str | list[Any], text: str) -> str | list[Any]:
    """The content with other text; blocks that are no text, such as reasoning, stay before it."""
    if isinstance(content, str):
        return text
    others = [block for block in content if isinstance(block, dict) and block.get("type") != "text"]
    return [*others, {"type": "text", "text": text}]
