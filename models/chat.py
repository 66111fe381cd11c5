"""The chat make: a prompt, a chat model, and a bounded number of further tries when a reply does not parse."""

import json
from functools import cache, partial
from typing import Any

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage
from langchain_core.utils.json import parse_json_markdown
from pydantic import BaseModel, ValidationError

from ..prompts import load_prompt
from ..state import Context
from ..state.errors import ModelError
from .endpoint import Endpoint, connect
from .tasks import Task


async def think(context: Context, task: Task, task_input: dict[str, Any]) -> BaseModel:
    """Carry out a task with the Context's chat model.

    Raises ModelError when the model cannot be had, or when no reply of `context.repairs + 1` is usable.
    """
    prompt = load_prompt(task.name, task.inputs, task.output)
    words = prompt.words
    endpoint = await connect(context, temperature=words.temperature, max_tokens=words.max_tokens)
    messages = prompt.messages(task_input)
    problem = ""
    for _ in range(context.repairs + 1):
        reply = await _ask(endpoint, messages, task, words.format)
        try:
            return _read(reply, task, words.format, task_input)
        except ValueError as error:
            problem = str(error)
            messages = [*messages, AIMessage(reply.text), HumanMessage(_complaint(problem, words.format))]
    raise ModelError(f"{endpoint.name}: no usable reply to `{task.name}` in {context.repairs + 1} tries: {problem}")


async def _ask(endpoint: Endpoint, messages: list[BaseMessage], task: Task, form: str) -> AIMessage:
    if form == "text":
        return await endpoint.ask(messages)
    return await endpoint.ask(messages, _schema(task.output))


@cache
def _schema(output: type[BaseModel]) -> dict[str, Any]:
    return output.model_json_schema()


def _read(reply: AIMessage, task: Task, form: str, task_input: dict[str, Any]) -> BaseModel:
    """Turn a reply into the task's output. Raises ValueError with what is wrong with it."""
    try:
        found = {"text": reply.text.strip()} if form == "text" else _json(reply)
        output = task.output.model_validate(found)
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(str(part) for part in first["loc"])
        raise ValueError(f"{place or 'the object'}: {first['msg']}") from None
    if task.check and (problem := task.check(task_input, output)):
        raise ValueError(problem)
    return output


def _json(reply: AIMessage) -> Any:
    """The object in a reply: the arguments of a tool call, where a model answers so, or JSON, bare or fenced."""
    if reply.tool_calls:
        return reply.tool_calls[0]["args"]
    if not reply.text.strip():
        raise ValueError("the reply is empty")
    try:
        # Read strictly: a list that is cut off would pass for a shorter one.
        return parse_json_markdown(reply.text, parser=partial(json.loads, strict=False))
    except (ValueError, RecursionError):
        raise ValueError("the reply is not JSON") from None


def _complaint(problem: str, form: str) -> str:
    wanted = "the answer as plain text" if form == "text" else "only the JSON object, complete"
    return f"That reply cannot be used: {problem}. Reply again with {wanted}."
