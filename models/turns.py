"""One turn of a task that uses tools, by native tool calling or, for models without it, in plain text."""

import json
import re
from collections.abc import Collection, Iterable, Mapping
from contextlib import suppress
from functools import cache, lru_cache
from types import MappingProxyType
from typing import Any

from langchain_core.messages import AIMessage, AnyMessage, BaseMessage, HumanMessage, ToolCall, ToolMessage
from langchain_core.utils.function_calling import convert_to_openai_tool
from pydantic import ValidationError

from ..prompts import Prompt, load_protocol
from ..prompts.words import Step as Shown
from ..prompts.words import ToolWords
from ..state.text.answers import concludes
from .reading import json_objects, read_program, text_of, unfenced
from .tasks.critic import CONCLUDE, THINK, Conclusion, Finish, OwnTool, Turn, TurnInput

SHOWN_CHARS = 2_000
"""Of one answer of a tool, in a conversation in plain text."""
MOST_CALLS = 5
"""Of tools, in one turn. What a model asks for beyond them is dropped."""
MOST_ENDINGS = 4
"""Endings that servers take in one request."""
_ACCEPTED, _CORRECTED, _FINISH = "Accepted", "Corrected", "Finish"
_REQUEST = re.compile(r"\A(?:\s*<(\w+)>\n(?:(?!</\1>).)*</\1>)+\s*", re.DOTALL)
"""The blocks of the request, with which small models may begin their reply."""
_NUMBERS = re.compile(r"(?:\[\d{1,3}\][ \t,]*)+:?\s*")


class UnmarkedError(ValueError):
    """A reply in plain text neither decides nor asks for a tool."""


def native(prompt: Prompt, task_input: TurnInput) -> list[BaseMessage]:
    """The conversation so far, for a model that calls tools."""
    request = prompt.messages(task_input, lambda example: _called(example.steps, example.output))
    last = [HumanMessage(load_protocol().last_call)] if _concludes(task_input) and task_input["messages"] else []
    return [*request, *task_input["messages"], *last]


def _concludes(task_input: TurnInput) -> bool:
    """Whether a turn can only conclude."""
    return task_input["last"] or not task_input["tools"]


def offered(task_input: TurnInput) -> list[dict[str, Any]]:
    """The tools that a turn may call, in OpenAI's form: `conclude` is always there, on the last turn it alone."""
    names, tools_of_caller = () if task_input["last"] else task_input["tools"], task_input.get("own", {})
    return [
        *(_own_tool(name, tools_of_caller[name]) if name in tools_of_caller else _tool(name) for name in names),
        _conclude(_drafts(task_input)),
    ]


def _drafts(task_input: TurnInput) -> bool:
    """Whether the turns are to answer, and there is nothing to critique."""
    return not task_input["text"]


def called(reply: AIMessage) -> Turn:
    """The turn in the reply of a model that calls tools. Raises ValueError with what is wrong with it."""
    if not reply.tool_calls:
        broken = "; ".join(str(call.get("error")) for call in reply.invalid_tool_calls)
        raise ValueError(f"the arguments are no JSON: {broken}" if broken else "no tool was called")
    first, *further = {_json([call["name"], call["args"]]): call for call in reply.tool_calls}.values()
    tools = [call for call in further if CONCLUDE not in (first["name"], call["name"])]  # a conclusion stands alone
    chosen = [first, *tools[: MOST_CALLS - 1]]
    # Every call in a message has to be answered, by its number; some servers give none, or all the same.
    numbers = {call["id"] for call in chosen if call["id"]}
    is_whole = len(numbers) == len(reply.tool_calls) and not reply.invalid_tool_calls
    turn, *also = (_turn(call["name"], call["args"]) for call in chosen)
    return turn.model_copy(update={"thought": text_of(reply), "also": also, "message": reply if is_whole else None})


def spelled_out(reply: AIMessage, own: Collection[str] = ()) -> Turn:
    """The turn in a reply in which a call of a tool is written down as JSON, as models do whose server reads none.

    Raises ValueError if there is none.
    """
    for candidate in json_objects(text_of(reply)):
        if isinstance(candidate, dict) and isinstance(name := candidate.get("name"), str):
            arguments = candidate.get("arguments", candidate.get("parameters"))
            if isinstance(arguments, dict) and (name in (CONCLUDE, *load_protocol().tools, *own)):
                return _turn(name, arguments)
    raise ValueError("no tool was called")


def _turn(name: str, arguments: dict[str, Any]) -> Turn:
    if name == CONCLUDE:
        try:
            return Turn(tool=CONCLUDE, conclusion=Conclusion.model_validate(arguments))
        except ValidationError as error:
            raise ValueError(f"{error.errors()[0]['loc']}: {error.errors()[0]['msg']}") from None
    words = load_protocol().tools.get(name)
    if not words:
        return Turn(tool=name, arguments=arguments)
    return Turn(tool=name, argument=str(arguments.get(words.argument, "")))


def plain(prompt: Prompt, task_input: TurnInput) -> list[BaseMessage]:
    """The conversation so far, for a model that calls no tools: the request, and after it what was said since."""
    conversation = [
        *prompt.conversation(
            task_input, lambda example: _written(example.steps, example.output), _protocol(task_input)
        ),
        *_transcript(task_input["messages"], _words(task_input)),
    ]
    if _concludes(task_input):
        now = prompt.last(task_input) or "\n".join([load_protocol().last.strip(), *lines_of(task_input)])
    else:
        now = _first(task_input) if _has_nothing_yet(task_input) else ""
    return [*conversation[:-1], HumanMessage(f"{conversation[-1].text}\n\n{now}".strip())]


def _first(task_input: TurnInput) -> str:
    *others, last = (f"`> {_words(task_input)[name].ask}: `" for name in task_input["tools"])
    return load_protocol().first.format(lines=f"{', '.join(others)} or {last}" if others else last)


def _has_nothing_yet(task_input: TurnInput) -> bool:
    """Whether a model that has tools to ask was told nothing by them so far."""
    return not (task_input["messages"] or task_input.get("found_before") or THINK in task_input["tools"])


def reminder(prompt: Prompt, task_input: TurnInput) -> str:
    """What a reply in plain text must hold, for a model whose reply held nothing of it."""
    answer = ['Or end with "So the answer is: " and the answer.'] if prompt.words.last else []
    return "\n".join(["what you think, and then, as your last line, one of these:", *lines_of(task_input), *answer])


def lines_of(task_input: TurnInput) -> list[str]:
    """The lines that a turn in plain text may end with: a tool's, or one of those that conclude."""
    lines, words = load_protocol().lines, _words(task_input)
    names = () if _concludes(task_input) else task_input["tools"]
    tools = [lines["tool"].format(ask=words[name].ask, about=words[name].about) for name in names]
    ends = [lines["finish"]] if _drafts(task_input) else [lines["accepted"], lines["corrected"]]
    return [*tools, *ends]


def endings(task_input: TurnInput) -> list[str]:
    """What a reply in plain text ends before: the words of tools, which only tools are to say."""
    words = _words(task_input)
    return [f"\n> {words[name].told}:" for name in task_input["tools"]][:MOST_ENDINGS]


def written(reply: AIMessage, own: Mapping[str, OwnTool] = MappingProxyType({})) -> Turn:
    """The turn in a reply in plain text: what stands after its first line that begins with `>`, or its answer.

    What a model goes on to write after asking for a tool is its own invention, and is dropped. Raises ValueError if
    there is no such line and no "So the answer is:" either: no other words decide.
    """
    if reply.tool_calls:
        return called(reply)
    text = _REQUEST.sub("", text_of(reply))
    match = _mark(text, tuple(own))
    thought = text[: match.start()].strip() if match else ""
    if not match:
        if concludes(text):
            return Turn(tool=CONCLUDE, conclusion=Conclusion(text=text))
        with suppress(ValueError):
            return spelled_out(reply, own)
        raise UnmarkedError("no line begins with `> ` and one of the words that were given")
    word, content = match["marked"] or match["bare"], text[match.end() :].strip()
    if word in (_ACCEPTED, _CORRECTED, _FINISH):
        numbers, content = _cited_numbers(content)
        if content and content in load_protocol().lines["finish" if word == _FINISH else "corrected"]:
            raise ValueError("the line was copied: write the answer itself")
        if word == _FINISH and content and not concludes(content):
            content = f"{thought} So the answer is: {content}".strip()
        fields = {"accepted": True} if word == _ACCEPTED else {"text": unfenced(content)}
        return Turn(
            thought=thought, tool=CONCLUDE, conclusion=Conclusion(correctness=thought, evidence=numbers, **fields)
        )
    following = re.search(r"^\s*>", content, re.MULTILINE)
    content = content[: following.start()] if following else content
    if word in own:
        return Turn(thought=thought, tool=word, arguments=_arguments(content, own[word]))
    name = next(name for name, words in load_protocol().tools.items() if words.ask == word)
    return Turn(thought=thought, tool=name, argument=_bare(content, name))


def _mark(text: str, own: tuple[str, ...]) -> re.Match[str] | None:
    """Where a turn decides or asks for a tool; one without a mark counts only if there is nothing else."""
    found = list(_marker(own).finditer(text))
    marked = next((match for match in found if match["marked"]), None)
    return marked or next(iter(found), None) if not concludes(text) else marked


def _cited_numbers(text: str) -> tuple[list[int], str]:
    """The numbers in brackets that the last line begins with, and what comes after them."""
    match = _NUMBERS.match(text)
    return ([int(number) for number in re.findall(r"\d+", match[0])], text[match.end() :]) if match else ([], text)


def _bare(argument: str, name: str) -> str:
    """A program without its fence; of anything else the first line."""
    if name == "run_python":
        try:
            return read_program(AIMessage(argument))
        except ValueError:
            return unfenced(argument).strip()
    return argument.strip().partition("\n")[0].strip()


def _arguments(text: str, tool: OwnTool) -> dict[str, Any]:
    """The arguments of a tool of a program's own: a JSON object; of a tool that takes one, also as they stand."""
    if (value := next(json_objects(text), None)) and isinstance(value, dict):
        return value
    names = list(tool["parameters"].get("properties", {}))
    if len(names) > 1:
        raise ValueError(f"the arguments are no JSON object with {' and '.join(names)}")
    return {names[0]: _bare(text, "")} if names else {}


@lru_cache
def _marker(own: tuple[str, ...]) -> re.Pattern[str]:
    """What a turn ends with. Only what asks for a tool, and so decides nothing, may lack its mark."""
    tools = "|".join(re.escape(word) for word in [*(words.ask for words in load_protocol().tools.values()), *own])
    accepted = rf"{_ACCEPTED}(?=[\s\d\[\],:]*(?:yes)?[.!]?\s*$)"  # "Accepted? No" and "Accepted: no" accept nothing
    return re.compile(
        rf"^\s*>\s*(?P<marked>{accepted}|{_CORRECTED}|{_FINISH}|{tools})\b[ \t]*:?|^\s*(?P<bare>{tools})[ \t]*:",
        re.MULTILINE,
    )


def _words(task_input: TurnInput) -> dict[str, ToolWords]:
    """How each tool is spoken of. One of a program's own goes by its name."""
    own_words = {name: _own_words(name, tool) for name, tool in task_input.get("own", {}).items()}
    return {**load_protocol().tools, **own_words}


def _own_words(name: str, tool: OwnTool) -> ToolWords:
    parameters = {
        name: f"<{schema.get('type', 'any')}>" for name, schema in tool["parameters"].get("properties", {}).items()
    }
    description = " ".join(tool["description"].split())
    return ToolWords(
        argument="",
        description=description,
        about=f"{_json(parameters)} {description}",
        ask=name,
        told=f"Result of {name}",
    )


def _protocol(task_input: TurnInput) -> str:
    words = load_protocol()
    protocol = words.drafting if _drafts(task_input) else words.protocol
    return "\n".join([protocol, *lines_of({**task_input, "last": False})])


def _transcript(messages: Iterable[AnyMessage], tools: Mapping[str, ToolWords]) -> list[BaseMessage]:
    """A conversation in plain text. What a tool said is kept to one line, so that it cannot pose as another turn."""
    parts: list[BaseMessage] = []
    for message in messages:
        if isinstance(message, AIMessage) and message.tool_calls:
            calls = [_asked(call, tools[call["name"]]) for call in message.tool_calls]
            parts.append(AIMessage("\n".join([message.text, *calls]).strip()))
        elif isinstance(message, ToolMessage):
            result = " ".join(message.text.split())[:SHOWN_CHARS]
            parts.append(HumanMessage(f"> {tools[str(message.name)].told}: {result}"))
    return parts


def _asked(call: ToolCall, words: ToolWords) -> str:
    return f"> {words.ask}: {call['args'][words.argument] if words.argument else _json(call['args'])}"


def _written(steps: Iterable[Shown], conclusion: dict[str, Any]) -> list[str]:
    """A worked example in plain text: the model's turns and, between them, those of the tools."""
    tools = load_protocol().tools
    parts: list[str] = []
    for number, step in enumerate(steps, start=1):
        parts.append(f"{step.thought}\n> {tools[step.tool].ask}: {step.argument}".strip())
        parts.append(f"> {tools[step.tool].told}: {_numbered(number, step)}")
    if "accepted" not in conclusion:
        return [*parts, f"> {_FINISH}: {conclusion['text']}"]
    why = " ".join(filter(None, (conclusion.get("plausibility"), conclusion.get("correctness"))))
    named = "".join(f" [{number}]" for number in conclusion.get("evidence", []))
    end = f"> {_ACCEPTED}{named}" if conclusion.get("accepted") else f"> {_CORRECTED}{named}: {conclusion['text']}"
    return [*parts, "\n".join([*filter(None, [why]), end])]


def _called(steps: Iterable[Shown], conclusion: dict[str, Any]) -> str:
    """A worked example as calls of tools."""
    tools = load_protocol().tools
    parts = [
        f"{step.thought}\n{step.tool}({_json({tools[step.tool].argument: step.argument})})\n"
        f"-> {_numbered(number, step)}".strip()
        for number, step in enumerate(steps, start=1)
    ]
    return "\n".join([*parts, f"{CONCLUDE}({_json(conclusion)})"])


def _numbered(number: int, step: Shown) -> str:
    """What a tool said in an example, with its number if it is evidence."""
    return step.told if step.tool == THINK else f"[{number}] {step.told}"


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


@cache
def _tool(name: str) -> dict[str, Any]:
    words = load_protocol().tools[name]
    argument = {words.argument: {"type": "string", "description": words.about}}
    schema = {"type": "object", "properties": argument, "required": [words.argument], "additionalProperties": False}
    return {"type": "function", "function": {"name": name, "description": words.description, "parameters": schema}}


def _own_tool(name: str, tool: OwnTool) -> dict[str, Any]:
    return {"type": "function", "function": {"name": name, **tool}}


@cache
def _conclude(drafts: bool) -> dict[str, Any]:
    tool = convert_to_openai_tool(Finish if drafts else Conclusion)
    function = tool["function"]
    function["parameters"]["required"] = list(function["parameters"]["properties"])
    return {**tool, "function": {**function, "name": CONCLUDE, "description": load_protocol().conclude}}
