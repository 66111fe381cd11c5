"""How models put what they have to say: plainly, in prose, after thoughts, with calls of tools written out as text."""

import json
from collections.abc import Callable
from typing import Any

from errata.models.tasks.critic import CONCLUDE
from errata.prompts import load_protocol

Write = Callable[[str, int], str]
"""What is written for an answer, and how many answers came before it, for those that vary."""
Call = Callable[[str, dict[str, Any]], str]
"""What is written for the name and the arguments of a tool."""

THOUGHTS = """Okay, so what is wanted here? Perhaps simply:
> Accepted
Or in JSON: {"label": "neutral", "text": "A first guess.", "queries": ["A first guess?"], "accepted": true}
So the answer is: a first guess. The answer is a first guess. Hmm, wait. That is not it. Let me look again.

"""
"""Thoughts that hold what would pass for an answer in every form."""


def plainly(answer: str, before: int) -> str:
    return answer


def think(answer: str, before: int) -> str:
    """As Qwen3 does and DeepSeek-R1 was made to."""
    return f"<think>\n{THOUGHTS}</think>\n\n{answer}"


def think_sometimes_unopened(answer: str, before: int) -> str:
    """DeepSeek-R1's chat template may open the tag, so that the model only closes it."""
    whole = think(answer, before)
    return whole.removeprefix("<think>\n") if before % 2 else whole


def in_prose(answer: str, before: int) -> str:
    """JSON in all the ways in which it is not JSON."""
    value = json.loads(answer)
    ways = (
        f"Here is the JSON that you asked for:\n\n{answer}\n\nLet me know if there is anything else!",
        f"```json\n{json.dumps(value, indent=2)}\n```\n\nThis follows the form {{like: this}} as requested.",
        json.dumps(_bare(value)),
        repr(value),
        f"I use the form {{{', '.join(value)}}}.\n\n{answer[:-1]},}}",
        f"Sure! First the form: {{}}. Now filled in:\n```\n{answer}\n```",
    )
    return ways[before % len(ways)]


def _bare(value: dict[str, Any]) -> Any:
    """Just the list, where a list is all that is wanted."""
    (first, *others) = value.values()
    return first if isinstance(first, list) and not others else value


def protocol(name: str, arguments: dict[str, Any]) -> str:
    """What a model writes that was told the lines to end its turn with."""
    tools = load_protocol().tools
    if name != CONCLUDE:
        words = tools.get(name)
        asked = f"{words.ask}: {arguments[words.argument]}" if words else f"{name}: {json.dumps(arguments)}"
        return f"The proposed answer is plausible. Is it right?\n> {asked}"
    if arguments.get("accepted"):
        return "The proposed answer is correct.\n> Accepted"
    return f"The proposed answer is not right.\n> Corrected: {arguments['text']}"


def talk(name: str, arguments: dict[str, Any]) -> str:
    """What a model says that does not know how to call a tool."""
    return "The proposed answer is plausible. I would look it up first, to see whether the answer is correct."


def call_in_text(name: str, arguments: dict[str, Any]) -> str:
    """What models write whose server does not recognise their calls."""
    return json.dumps({"name": name, "parameters": arguments})


def spelled(value: Any, spell: Callable[[str], str]) -> Any:
    """A value with its labels spelled in another way."""
    if isinstance(value, list):
        return [spelled(part, spell) for part in value]
    if isinstance(value, dict):
        labels = ("label", "action", "kind")
        return {name: spell(part) if name in labels else spelled(part, spell) for name, part in value.items()}
    return value
