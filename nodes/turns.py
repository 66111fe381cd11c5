"""Turns: a model and its tools alternate until the model concludes (CRITIC section 4.1)."""

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any
from uuid import uuid4

from langchain_core.messages import AIMessage, AnyMessage, ToolCall

from ..models import Task, task
from ..models.tasks.critic import CONCLUDE, Conclusion, OwnTool, Turn, TurnInput
from ..state import Context
from ..state.errors import RunError
from .budget import calls_left
from .step import failed
from .tooling import ARGUMENT


def asks_for_tool(turn: AnyMessage) -> bool:
    """Whether a turn asks for a tool; otherwise it concludes."""
    return isinstance(turn, AIMessage) and turn.tool_calls[0]["name"] != CONCLUDE


def conclusion(turn: AnyMessage) -> Conclusion:
    """The conclusion of a concluding turn."""
    assert isinstance(turn, AIMessage)
    return Conclusion.model_validate(turn.tool_calls[0]["args"])


async def next_turn(
    state: Mapping[str, Any],
    context: Context,
    turn_task: Task[TurnInput, Turn],
    tools: tuple[str, ...],
    own: Mapping[str, OwnTool] = MappingProxyType({}),
) -> AIMessage | dict[str, Any]:
    """The next turn as a message with its tool calls; without one, an update that says why."""
    tools = (*tools, *own)
    turns = sum(isinstance(message, AIMessage) for message in state["messages"])
    calls = calls_left(state, context, turn_task)
    is_over = turns + 1 >= context.critique_calls or calls == 1
    last = is_over or not tools or _repeats_itself(state["messages"])
    task_input: TurnInput = {
        "question": state["question"],
        "text": state["text"],
        "answer": state["answer"],
        "messages": state["messages"],
        "tools": list(tools),
        "last": last,
    }
    if found := state.get("found_before"):
        task_input["found_before"] = found
    if refused := state.get("refused"):
        task_input["correction_without_evidence"] = refused
    if own:
        task_input["own"] = dict(own)
    try:
        turn = await task(context, turn_task).ainvoke(task_input)
    except RunError as error:
        return failed(turn_task.name, error)
    if turn.tool != CONCLUDE and (last or any(call.tool not in tools for call in (turn, *turn.also))):
        turn = Turn(tool=CONCLUDE, conclusion=Conclusion(correctness="It reached no conclusion."))
    return _message(turn)


def _repeats_itself(messages: Sequence[AnyMessage]) -> bool:
    """Whether the last two turns ask for the same. The second got the next page; small models repeat it to the end."""
    turns = [message.tool_calls for message in messages if isinstance(message, AIMessage)]
    asked = [[(call["name"], call["args"]) for call in calls] for calls in turns[-2:]]
    return len(asked) > 1 and asked[0] == asked[1]


def _message(turn: Turn) -> AIMessage:
    """A turn as the model gave it, or in the form of tool calls."""
    return turn.message or AIMessage(turn.thought, tool_calls=[_call(each) for each in (turn, *turn.also)])


def _call(turn: Turn) -> ToolCall:
    tool_arguments = {ARGUMENT[turn.tool]: turn.argument} if turn.tool in ARGUMENT else turn.arguments
    arguments = turn.conclusion.model_dump() if turn.conclusion else tool_arguments
    return ToolCall(name=turn.tool, args=arguments, id=uuid4().hex[:12])
