"""A model that converses about towers and their masons, and a search that knows both, so that LLM-Augmenter runs whole.

What it answers follows from the request alone. A message says how many responses it takes until one uses the evidence.
"""

import json
import re

from pydantic import Field

from errata.state import Evidence
from errata.tools import SearchTool, evidence

from .stub import Ask
from .waits import Delay

SMALL_TALK = "Thank you very much"


def message(item: int, responses: int) -> str:
    """A message that so many responses are needed for."""
    return f"Who built tower {item}? It takes {responses} responses."


def brain(ask: Ask) -> str:
    """What the model answers."""
    request = next(str(said["content"]) for said in ask.messages if said["role"] == "user")
    tower = (re.search(r"ower (\d+)", request) or ["", "0"])[1]
    if ask.schema == "Choice":
        return json.dumps({"reason": "", "action": "prompt" if SMALL_TALK in request else "consolidate"})
    if ask.schema == "Searches":
        return json.dumps({"queries": [f"Who built tower {tower}?"]})
    if ask.schema == "Chains":
        return json.dumps({"paths": [[1, 2]]})
    if SMALL_TALK in request:
        return "It was a pleasure."
    if "takes 2" in request and "<feedback>" not in request:
        return "Many people like to look at towers when the weather is fine."
    return f"Tower {tower} was built by Mason {tower}, born in Port {tower}."


class TowerSearch(SearchTool):
    """Finds the page about a tower, or about the mason of a tower, after a while."""

    name: str = "towers"
    description: str = "Search for towers and masons."
    delay: Delay = Field(default_factory=Delay)

    async def _find(self, query: str, limit: int) -> list[Evidence]:
        await self.delay.wait()
        tower, mason = re.search(r"tower (\d+)", query), re.fullmatch(r"Mason (\d+)", query)
        if tower:
            text, title = f"Tower {tower[1]} was built by Mason {tower[1]}.", f"Tower {tower[1]}"
        elif mason:
            text, title = f"Mason {mason[1]} was born in Port {mason[1]}.", f"Mason {mason[1]}"
        else:
            return []
        return [evidence(query=query, text=text, title=title, source=f"towers:{title}")]
