"""A method that takes messages and replies with one: for supervisors, swarms and chat pages."""

from collections.abc import Sequence
from typing import Any

from langchain_core.messages import AIMessage, AnyMessage, BaseMessage, HumanMessage
from langchain_core.runnables import RunnableLambda
from langgraph.graph import END, START, MessagesState, StateGraph
from langgraph.graph.state import CompiledStateGraph

from ...graphs import METHODS, check_method, inputs, load
from ...state import Result
from ...state.errors import ConfigurationError
from ...state.runs.hosts import trusted
from ..facade import Settings, dialogue, settings_of
from ..result import citations
from .middleware import KEY
from .seen import seen
from .tool import TEXTS, readable, tool_name

Agent = CompiledStateGraph[MessagesState, None, MessagesState, MessagesState]


def as_agent(method: str = "ground", context: Settings | None = None, *, name: str | None = None) -> Agent:
    """Wrap a method in a compiled graph from messages to messages.

    The method decides which part of the conversation is used:

    - A method that corrects or checks a text (`ground`, `rarr`, `refchecker`, ...) takes the last written message: that
      of another agent, as the answer to the last question before it, or that of a person, as a text. Tool results in
      the conversation are evidence for methods that take references; without any, they search.
    - A method that answers (`llm_augmenter`, `react`, ...) takes the last message, which must be a person's.

    The reply is one message. Its `response_metadata["errata"]` holds the whole Result, with `citations`. For a text
    that was corrected or checked, it ends with a note of what was done.

    Args:
        method: The method.
        context: The settings of its runs; people who send messages can't change them.
        name: Its name for supervisors, traces and the reply; `correct_with_ground` and so on if None.

    Returns:
        The graph, without a checkpointer: inside another graph, it uses that graph's.

    Raises:
        ConfigurationError: If there is no such method, or its settings cannot work.
    """
    check_method(method)
    agent_name = name or tool_name(method)
    settings = trusted(settings_of(method, context))
    graph, fields = load(method), inputs(method)

    def reply(state: MessagesState) -> dict[str, Any]:
        return _reply(method, agent_name, graph.invoke(_input(method, fields, state["messages"]), context=settings))

    async def areply(state: MessagesState) -> dict[str, Any]:
        graph_input = _input(method, fields, state["messages"])
        return _reply(method, agent_name, await graph.ainvoke(graph_input, context=settings))

    builder = StateGraph(MessagesState)
    builder.add_node(method, RunnableLambda(reply, areply))
    builder.add_edge(START, method)
    builder.add_edge(method, END)
    return builder.compile(name=agent_name)


def _input(method: str, fields: frozenset[str], messages: Sequence[AnyMessage]) -> dict[str, Any]:
    if METHODS[method].kind not in TEXTS:
        conversation = dialogue(messages)
        return {name: value for name, value in conversation.items() if name in fields}
    written_messages = [message for message in messages if _is_written(message)]
    if not written_messages:
        raise ConfigurationError("there is no message to check: send a text, or the answer of an agent")
    *earlier, last = written_messages
    questions = [message.text for message in earlier if isinstance(message, HumanMessage)]
    question = questions[-1] if questions and isinstance(last, AIMessage) else ""
    references = {"references": seen(messages)} if "references" in fields else {}
    return {"text": last.text, "question": question, **references}


def _is_written(message: BaseMessage) -> bool:
    """Whether a message says something. One that only hands over to another agent has tool calls."""
    return (isinstance(message, HumanMessage) or (isinstance(message, AIMessage) and not message.tool_calls)) and bool(
        message.text.strip()
    )


def _reply(method: str, name: str, result: Result) -> dict[str, Any]:
    text = readable(result)[0] if METHODS[method].kind in TEXTS else result["text"]
    note = {**result, "citations": citations(result)}
    return {"messages": [AIMessage(text, name=name, response_metadata={KEY: note})]}
