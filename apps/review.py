"""Asking the person at the terminal about a proposed edit."""

import sys
from collections.abc import Callable
from typing import Any

from rich.console import Console
from rich.prompt import Prompt
from rich.text import Text

from .terminal import console, put

DECISIONS = ("approve", "reject", "edit", "delete")
STYLES = {r"(?m)^\S.*": "bold", r"(?s)\[-.*?-\]": "red strike", r"(?s)\{\+.*?\+\}": "bold green"}
"""How headings of a description are shown, and words taken out and put in."""


def reviewer() -> Callable[[dict[str, Any]], dict[str, Any]] | None:
    """Who reviews edits: the person at the terminal, if there is one."""
    return ask_person if sys.stdin.isatty() and sys.stderr.isatty() else None


def ask_person(request: dict[str, Any]) -> dict[str, Any]:
    """Show the edits of a `HITLRequest` one after another; return the `HITLResponse` with what the person decides."""
    shown = console(stderr=True)
    return {"decisions": [_decision(action, shown) for action in request["action_requests"]]}


def _decision(action: dict[str, Any], shown: Console) -> dict[str, Any]:
    text = Text(f"\n{action['description']}\n")
    for pattern, style in STYLES.items():
        text.highlight_regex(pattern, style)
    put(shown, text)
    while True:
        said = _ask("(a)pprove, (r)eject, (e)dit or (d)elete the words [Enter: approve]", shown).lower() or "approve"
        match next((decision for decision in DECISIONS if decision.startswith(said)), ""):
            case "edit":
                if words := _ask("Put instead", shown):
                    return _edited(action, words)
                said = "Nothing was typed. To have no words there, answer d."
            case "delete":
                return _edited(action, "")
            case "approve" | "reject" as decision:
                return {"type": decision}
            case _:
                said = "Please answer a, r, e or d."
        put(shown, Text(said, style="yellow"))


def _edited(action: dict[str, Any], words: str) -> dict[str, Any]:
    return {"type": "edit", "edited_action": {"name": action["name"], "args": {**action["args"], "after": words}}}


def _ask(question: str, shown: Console) -> str:
    try:
        return Prompt.ask(Text(question), console=shown, default="", show_default=False).strip()
    except (KeyboardInterrupt, EOFError):
        put(shown, Text())  # what follows begins a line of its own
        raise
