"""The chat backend: a prompt, a chat model, and a limited number of further tries if a reply cannot be used."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import replace
from functools import cache, partial
from typing import Any, cast

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage
from pydantic import BaseModel, ValidationError

from ..prompts import Prompt, load_protocol
from ..state import Context
from ..state.errors import ModelError
from ..state.runs.meter import spend
from . import turns
from .declined import declined
from .prompting import prompt_of
from .providers.endpoint import Endpoint, Refused, connect
from .providers.kept import forgotten_if_unusable
from .providers.request import Request
from .reading import answer_logprob, mean_logprob, read_object, read_program, read_text, text_of, withheld
from .tasks.critic import Turn, TurnInput
from .tasks.drafting import Sample, Samples, Sampling
from .tasks.task import In, Out, Task

Ask = Callable[[list[BaseMessage]], Awaitable[AIMessage]]
Read = Callable[[AIMessage], Out]

WANTED = {
    "json": "only the JSON object, complete.",
    "text": "the answer as plain text.",
    "program": "the whole program in a block that begins with ```python.",
}
"""The reminder for a model whose reply cannot be used, by the form of its reply."""
PROBE = 600
"""How many tokens a model may use for its first tool call."""
LONGEST_REPLY = 500_000
"""In characters: about 100,000 tokens, which is more than any task asks for. Reading more would hold up other runs."""
ECHOED = 2_000
"""How many characters of an unusable reply the model is shown again."""


async def carry_out(context: Context, task: Task[Any, Any], task_input: Any) -> BaseModel:
    """Do a task with the Context's chat model. Raises as `think` and `sample` do."""
    async with forgotten_if_unusable():
        if task.output is Samples:
            return await sample(context, task, task_input)
        return await think(context, task, task_input)


async def think(context: Context, task: Task[In, Out], task_input: In) -> Out:
    """Do a task with the Context's chat model.

    Raises:
        ModelError: If the model is not available, or none of `context.repairs + 1` replies is usable.
    """
    prompt = await _prompt(context, task)
    async with connect(context) as endpoint:
        if prompt.words.format == "turns":
            turn: Any = await _take_turn(context, endpoint, task, cast(TurnInput, task_input))
            return cast(Out, turn)

        async def ask(messages: list[BaseMessage]) -> AIMessage:
            return await endpoint.ask(_request(task, prompt, messages))

        return await _persist(
            context,
            task,
            endpoint.name,
            prompt.messages(task_input),
            ask=ask,
            read=lambda reply: _read(reply, task, prompt, task_input),
            expected=WANTED[prompt.words.format],
        )


async def several(
    context: Context, task: Task[In, Out], task_input: In, n: int, temperature: float | None = None
) -> list[Out | ModelError]:
    """Do a task `n` times, in one request if the model supports it. One failure does not affect the others.

    Raises:
        ModelError: If there is not one reply.
    """
    prompt = await _prompt(context, task)
    async with forgotten_if_unusable() as forget:
        async with connect(context) as endpoint:
            request = _request(task, prompt, prompt.messages(task_input), n)
            degree = request.temperature if temperature is None else temperature
            replies = await endpoint.sample(replace(request, temperature=degree))

        async def read_or_ask_again(reply: AIMessage | ModelError) -> Out | ModelError:
            if isinstance(reply, ModelError):
                return reply
            try:
                return _read(reply, task, prompt, task_input)
            except ValueError:
                spend(repairs=1)
                await forget()
            try:
                return await think(context, task, task_input)  # which tells the model what is wrong
            except ModelError as error:
                return error

        return await asyncio.gather(*map(read_or_ask_again, replies))


async def sample(context: Context, task: Task[Sampling, Samples], task_input: Sampling) -> Samples:
    """Several answers to one request, at `context.sample_temperature`.

    Raises:
        ModelError: If there is not one answer.
    """
    messages = (await _prompt(context, task)).messages(task_input)
    request = Request(messages, temperature=context.sample_temperature, n=task_input["n"], logprobs=True)
    async with connect(context) as endpoint:
        replies = await endpoint.sample(request)
    samples: list[Sample] = []
    missing: list[str] = []
    for reply in replies:
        if isinstance(reply, ModelError):
            missing.append(str(reply))
        elif why := withheld(reply) or declined(text := text_of(reply), [task_input["question"]]):
            missing.append(f"{endpoint.name}: a sample cannot be used: {why}")
        elif not text:
            missing.append(f"{endpoint.name}: a sample is empty")
        else:
            likely = answer_logprob(reply, text)
            samples.append(Sample(text=text, logprob=mean_logprob(reply), answer_logprob=likely))
    if not samples:
        raise ModelError(f"all {len(missing)} samples failed; the first: {missing[0]}")
    return Samples(samples=samples, missing=missing)


async def _prompt(context: Context, task: Task[In, Out]) -> Prompt:
    """The prompt of a task. Files are read outside the event loop."""
    return prompt_of(context, task) if context.prompts is None else await asyncio.to_thread(prompt_of, context, task)


def _request(task: Task[In, Out], prompt: Prompt, messages: list[BaseMessage], n: int = 1) -> Request:
    words = prompt.words
    return Request(
        messages,
        temperature=words.temperature,
        room=words.room,
        schema=_schema(task.output) if words.format == "json" else None,
        n=n,
        streams=words.format == "text" and task.streams,
    )


async def _take_turn(context: Context, endpoint: Endpoint, task: Task[Any, Any], task_input: TurnInput) -> Turn:
    """One turn: by a tool call if the model supports it, otherwise in plain text."""
    prompt = await _prompt(context, task)
    temperature = prompt.words.temperature

    def checked(turn: Turn) -> Turn:
        _check(task, task_input, turn)
        return turn

    async def native(messages: list[BaseMessage]) -> AIMessage:
        is_known = endpoint.habits.calls_tools
        # A model that calls none may go on for as long as it is allowed.
        room = None if is_known else PROBE
        reply = await endpoint.ask(Request(messages, temperature, room, tools=turns.offered(task_input)))
        if reply.tool_calls:
            endpoint.habits.calls_tools = True
        elif not is_known and not reply.invalid_tool_calls:
            raise Refused  # it was never seen to call a tool, and replies in text
        return reply

    async def plain(messages: list[BaseMessage]) -> AIMessage:
        return await endpoint.ask(Request(messages, temperature, stop=turns.endings(task_input)))

    def persist(
        messages: list[BaseMessage], ask: Ask, read: Callable[[AIMessage], Turn], expected: str
    ) -> Awaitable[Turn]:
        return _persist(
            context, task, endpoint.name, messages, ask=ask, read=lambda reply: checked(read(reply)), expected=expected
        )

    if endpoint.habits.calls_tools is not False:
        with suppress(Refused):
            turn = await persist(turns.native(prompt, task_input), native, turns.called, "a call of one of the tools.")
            return turn
    expected = turns.reminder(prompt, task_input)
    read = partial(turns.written, own=task_input.get("own", {}))
    turn = await persist(turns.plain(prompt, task_input), plain, read, expected)
    endpoint.habits.calls_tools = False  # the same request without tools succeeded
    return turn


async def _persist(
    context: Context,
    task: Task[Any, Any],
    name: str,
    messages: list[BaseMessage],
    *,
    ask: Ask,
    read: Read[Out],
    expected: str,
) -> Out:
    """Ask until a reply can be read, with at most `context.repairs` further tries."""
    problem = ""
    for attempt in range(context.repairs + 1):
        reply = await ask(messages)
        try:
            return read(reply)
        except ValueError as error:
            spend(repairs=1)
            problem = str(error)
            if isinstance(error, turns.UnmarkedError) and not attempt:
                # A small model that is shown its own words repeats them.
                messages = [*messages[:-1], HumanMessage(f"{messages[-1].text}\n\n{load_protocol().again}")]
                continue
            complaint = f"That reply cannot be used: {problem}. Reply again with {expected}"
            messages = [*messages, AIMessage(text_of(reply)[:ECHOED] or "(nothing)"), HumanMessage(complaint)]
    raise ModelError(f"{name}: no usable reply to `{task.name}` in {context.repairs + 1} tries: {problem}")


@cache
def _schema(output: type[BaseModel]) -> dict[str, Any]:
    return output.model_json_schema()


def _read(reply: AIMessage, task: Task[In, Out], prompt: Prompt, task_input: In) -> Out:
    """Turn a reply into the task's output. Raises ValueError with what is wrong with it."""
    if len(reply.text) > LONGEST_REPLY:
        raise ValueError(f"the reply is longer than {LONGEST_REPLY:,} characters")
    if fault := withheld(reply):
        raise ValueError(fault)
    match prompt.words.format:
        case "text":
            output = _valid(task.output, {"text": read_text(reply, prompt.words.template)})
        case "program":
            output = _valid(task.output, {"code": read_program(reply)})
        case _:
            output = read_object(reply, task.output)
    _check(task, task_input, output)
    return output


def _valid(output: type[Out], fields: dict[str, str]) -> Out:
    try:
        return output.model_validate(fields)
    except ValidationError as error:
        raise ValueError(error.errors()[0]["msg"]) from None


def _check(task: Task[In, Out], task_input: In, output: Out) -> None:
    if problem := task.problem(task_input, output):
        raise ValueError(problem)
