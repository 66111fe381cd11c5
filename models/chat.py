"""The chat make: a prompt, a chat model, and a bounded number of further tries when a reply does not parse."""

import json
from collections.abc import Awaitable, Callable
from functools import cache, partial
from typing import Any

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage
from langchain_core.utils.json import parse_json_markdown
from pydantic import BaseModel, ValidationError

from ..prompts import load_prompt
from ..state import Context
from ..state.errors import ModelError
from . import turns
from .endpoint import Endpoint, NoTools, connect
from .outputs import Sample, Samples, Turn
from .tasks import Task

Ask = Callable[[list[BaseMessage]], Awaitable[AIMessage]]
Read = Callable[[AIMessage], BaseModel]


async def think(context: Context, task: Task, task_input: dict[str, Any]) -> BaseModel:
    """Carry out a task with the Context's chat model.

    Raises ModelError when the model cannot be had, or when no reply of `context.repairs + 1` is usable.
    """
    prompt = load_prompt(task.words or task.name, task.inputs, task.shown)
    words = prompt.words
    endpoint = await connect(context, temperature=words.temperature, max_tokens=words.max_tokens)
    if words.format == "turns":
        return await _take_turn(context, endpoint, task, task_input)
    schema = None if words.format == "text" else _schema(task.output)
    return await _persist(
        context,
        task,
        endpoint.name,
        prompt.messages(task_input),
        ask=lambda messages: endpoint.ask(messages, schema),
        read=lambda reply: _read(reply, task, words.format, task_input),
        wanted="the answer as plain text" if schema is None else "only the JSON object, complete",
    )


async def sample(context: Context, task: Task, task_input: dict[str, Any]) -> Samples:
    """Several answers to one request, at `context.sample_temperature`. Raises ModelError as `think` does."""
    prompt = load_prompt(task.words or task.name, task.inputs, task.shown)
    endpoint = await connect(context, temperature=context.sample_temperature, max_tokens=prompt.words.max_tokens)
    replies = await endpoint.sample(prompt.messages(task_input), task_input["n"])
    said = [(reply.text.strip(), logprob) for reply, logprob in replies]
    if not any(text for text, _ in said):
        raise ModelError(f"{endpoint.name}: all {len(said)} samples are empty")
    return Samples(samples=[Sample(text=text, logprob=logprob) for text, logprob in said if text])


async def _take_turn(context: Context, endpoint: Endpoint, task: Task, task_input: dict[str, Any]) -> BaseModel:
    """One turn: by a call of a tool where the model can, in plain text where it cannot."""
    prompt = load_prompt(task.name, task.inputs, task.shown)

    def checked(turn: Turn) -> Turn:
        _check(task, task_input, turn)
        return turn

    async def native() -> BaseModel:
        offered = turns.offered(task_input)
        return await _persist(
            context,
            task,
            endpoint.name,
            turns.native(prompt, task_input),
            ask=lambda messages: endpoint.call(messages, offered),
            read=lambda reply: checked(turns.called(reply)),
            wanted="a call of one of the tools",
        )

    async def plain() -> BaseModel:
        return await _persist(
            context,
            task,
            endpoint.name,
            turns.plain(prompt, task_input),
            ask=endpoint.ask,
            read=lambda reply: checked(turns.written(reply)),
            wanted="what you think, and one of the lines that begin with `> `",
        )

    if not endpoint.calls_tools:
        return await plain()
    try:
        return await native()
    except NoTools:
        turn = await plain()
        endpoint.calls_tools = False  # the same request without tools went through
        return turn


async def _persist(
    context: Context, task: Task, name: str, messages: list[BaseMessage], *, ask: Ask, read: Read, wanted: str
) -> BaseModel:
    """Ask until a reply can be read, at most `context.repairs` times more."""
    problem = ""
    for _ in range(context.repairs + 1):
        reply = await ask(messages)
        try:
            return read(reply)
        except ValueError as error:
            problem = str(error)
            complaint = f"That reply cannot be used: {problem}. Reply again with {wanted}."
            messages = [*messages, AIMessage(reply.text), HumanMessage(complaint)]
    raise ModelError(f"{name}: no usable reply to `{task.name}` in {context.repairs + 1} tries: {problem}")


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
    _check(task, task_input, output)
    return output


def _check(task: Task, task_input: dict[str, Any], output: BaseModel) -> None:
    if task.check and (problem := task.check(task_input, output)):
        raise ValueError(problem)


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
