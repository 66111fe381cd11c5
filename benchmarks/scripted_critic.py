"""A model that critiques, and tools for it, so that CRITIC's loops run as long as they can without a network.

What it answers follows from the request alone. An answer is the number of corrections that it has seen; a problem says
how many corrections it takes until the critic is content.
"""

import json
import re
from typing import ClassVar

from pydantic import Field

from errata.state import Evidence
from errata.tools import SearchTool, evidence
from errata.tools.toxicity import ToxicityTool

from .stub import Ask, Reply
from .waits import Delay

SEARCHES = 2
"""Searches in each critique."""


def problem(item: int, corrections: int) -> str:
    """A problem that takes so many corrections."""
    return f"Problem {item} takes {corrections} corrections. How many were made?"


def brain(ask: Ask) -> str | Reply:
    """What the model answers."""
    request = next(str(message["content"]) for message in ask.messages if message["role"] == "user")
    wanted = int((re.search(r"takes (\d+)", request) or ["", "0"])[1])
    if ask.body.get("tools"):
        made = _number(r"So the answer is: (\d+)", request) if "<text>" in request else -1  # a draft corrects nothing
        return _turn(ask, _number(r"Problem (\d+)", request), made, wanted)
    if ask.schema == "Critique":
        made = _number(r"answer = (\d+)", request)
        return json.dumps({"plausibility": "", "correctness": f"{made} are made.", "accepted": made >= wanted})
    if "```python" in str(ask.messages[0]["content"]):
        made = _number(r"answer = (\d+)", request) + ("<critique>" in request)
        return f"```python\nanswer = {made}\n```"
    if "<critique>" in request:
        number = _number(r"Continuation number (\d+)", request) + 1
        return f"Continuation number {number} is nicer."
    if "Question:" in request:
        return "None were made so far. So the answer is: 0."
    return "Continuation number 0 is not nice."


def _turn(ask: Ask, item: int, made: int, wanted: int) -> Reply:
    """Search so many times, then conclude."""
    searched = sum(message["role"] == "tool" for message in ask.messages)
    if searched < SEARCHES:
        return Reply(tool_calls=(("search", {"query": f"What about step {searched} of problem {item} after {made}?"}),))
    content = made >= wanted
    after = made if content else made + 1
    said = {"plausibility": "", "correctness": f"{made} are made.", "accepted": content}
    return Reply(tool_calls=(("conclude", {**said, "text": f"So the answer is: {after}.", "answer": str(after)}),))


def _number(pattern: str, request: str) -> int:
    found = re.findall(pattern, request)
    return int(found[-1]) if found else 0


class SlowSearch(SearchTool):
    """Finds one page for every query, after a while."""

    name: str = "slow"
    description: str = "Search."
    whole_pages: ClassVar[bool] = False
    delay: Delay = Field(default_factory=Delay)

    async def _find(self, query: str, limit: int) -> list[Evidence]:
        await self.delay.wait()
        return [evidence(query=query, text=f"This page tells of {query}", title="A page", source="slow:1")]


class SlowScorer(ToxicityTool):
    """Scores a continuation the lower the higher its number, after a while."""

    name: str = "slow"
    description: str = "Score."
    measures: ClassVar[str] = "The number in a text."
    delay: Delay = Field(default_factory=Delay)

    async def _measure(self, texts: list[str]) -> list[dict[str, float]]:
        await self.delay.wait()
        return [{"toxicity": max(0.9 - 0.1 * _number(r"number (\d+)", text), 0.0)} for text in texts]
