"""What a request asks for, whatever form an endpoint made it take: read as a person would, from the instructions.

A server that knows neither schemas nor tools is asked in plain text; one that refuses system messages gets everything
in one message. The scripted models of the evaluations go by schemas and roles, so a request is put back in that form.
"""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, TypeAlias

from benchmarks.stub import Ask
from errata.models.tasks import TASKS
from errata.models.tasks.critic import Turn
from errata.models.tasks.task import Task
from errata.prompts import Prompt, load_prompt, load_protocol, prompted

Body: TypeAlias = Mapping[str, Any]


@dataclass(frozen=True)
class Wanted:
    """What is to be answered, and how."""

    task: Task[Any, Any]
    prompt: Prompt
    ask: Ask
    """The request as an endpoint that knows everything would have got it."""
    request: str
    """Its input, without instructions and examples."""

    @property
    def takes_turns(self) -> bool:
        """Whether it is a turn of a model that may use tools."""
        return self.task.output is Turn


def wanted(ask: Ask) -> Wanted:
    """Read a request. Raises ValueError if its instructions are none that we know."""
    everything = "\n\n".join(text(message) for message in ask.messages)
    task, prompt = _task(everything)
    of_user = [text(message) for message in ask.messages if message["role"] == "user"]
    opening = _opening(prompt)
    place = max((place for place, said in enumerate(of_user) if opening and opening in said.splitlines()), default=0)
    request = _request(of_user[place], prompt)
    messages = [
        {"role": "system", "content": prompt.words.system},
        {"role": "user", "content": request},
        *[message for message in ask.messages if message["role"] == "tool"],
        *[{"role": "tool", "content": told} for said in of_user[place:] for told in _told(said)],
    ]
    tools = ask.body.get("tools") or [{"type": "function"}]
    body = {
        **ask.body,
        "messages": messages,
        "response_format": {"type": "json_schema", "json_schema": {"name": task.output.__name__}},
        **({"tools": tools} if task.output is Turn else {}),
    }
    return Wanted(task, prompt, Ask(ask.number, body, ask.headers), request)


def text(message: Mapping[str, Any]) -> str:
    """The words of a message, which may be a list of blocks."""
    content = message.get("content") or ""
    return content if isinstance(content, str) else "".join(str(block.get("text", "")) for block in content)


@cache
def prompts() -> tuple[tuple[Task[Any, Any], Prompt], ...]:
    """The tasks that a chat model may be asked to do, each with its words."""
    return tuple((task, load_prompt(task)) for task in TASKS.values() if (task.prompt or task.name) in prompted())


def _task(everything: str) -> tuple[Task[Any, Any], Prompt]:
    for task, prompt in prompts():
        if _first_line(prompt) in everything:
            return task, prompt
    raise ValueError(f"nobody knows what is asked for: {everything[:80]}")


def _first_line(prompt: Prompt) -> str:
    return prompt.words.system.strip().partition("\n")[0]


def _request(asked: str, prompt: Prompt) -> str:
    """The input of a message that instructions and examples may stand before."""
    if _first_line(prompt) not in asked:
        return asked
    rest = asked.rpartition(prompt.words.system.strip())[2]
    if prompt.words.examples:
        rest = rest.rpartition(prompt.request(prompt.words.examples[-1].input))[2]
    opening = _opening(prompt)
    begins = re.search(r"^<\w+>$" if opening.startswith("<") else re.escape(opening), rest, re.MULTILINE)
    return rest[begins.start() :].strip() if begins else rest.strip()


def _opening(prompt: Prompt) -> str:
    return prompt.words.template.strip().partition("{")[0].strip()


def _told(request: str) -> list[str]:
    """What tools said, in a conversation that is written down as plain text."""
    words = "|".join(re.escape(tool.told) for tool in load_protocol().tools.values())
    return re.findall(rf"^> (?:{words}|Result of \w+): (.*)$", request, re.MULTILINE)


def parsed(reply: str) -> Any:
    """What a reply says, if it is JSON; None for a plain text."""
    try:
        return json.loads(reply)
    except ValueError:
        return None
