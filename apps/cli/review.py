"""Asking the person at the terminal about proposed edits."""

import sys
from collections.abc import Callable
from typing import Any

from rich.console import Console
from rich.prompt import Prompt
from rich.text import Text

from .terminal import console, put

DECISIONS = ("approve", "reject", "edit", "delete", "all", "quit")
FOR_THE_REST = {"all": "approve", "quit": "reject"}
"""Answers that decide on an edit and on all that follow."""
STYLES = {r"(?m)^\S.*": "bold", r"(?s)\[-.*?-\]": "red strike", r"(?s)\{\+.*?\+\}": "bold green"}
"""The style of headings in a description, and of removed and inserted words."""


def reviewer() -> Callable[[dict[str, Any]], dict[str, Any]] | None:
    """The reviewer of a run: the person at the terminal, if there is one."""
    return Person() if sys.stdin.isatty() and sys.stderr.isatty() else None


class Person:
    """The person at the terminal."""

    def __init__(self) -> None:
        self.console = console(stderr=True)
        self.rest = ""
        """Their decision on all remaining edits; empty as long as they are asked."""

    def __call__(self, request: dict[str, Any]) -> dict[str, Any]:
        """Show the edits of a `HITLRequest` one after another; return the `HITLResponse` with their decisions."""
        return {"decisions": [self._decision(action) for action in request["action_requests"]]}

    def _decision(self, action: dict[str, Any]) -> dict[str, Any]:
        if self.rest:
            return {"type": self.rest}
        text = Text(f"\n{action['description']}\n")
        for pattern, style in STYLES.items():
            text.highlight_regex(pattern, style)
        put(self.console, text)
        while True:
            put(self.console, Text("(a)pprove, (r)eject, (e)dit or (d)elete the words; approve (all); (q)uit: no more"))
            reply = _ask("[Enter: approve]", self.console).lower() or "approve"
            match next((decision for decision in DECISIONS if decision.startswith(reply)), ""):
                case "edit":
                    if words := _ask("Put instead", self.console):
                        return _edited(action, words)
                    notice = "Nothing was typed. To delete the words, answer d."
                case "delete":
                    return _edited(action, "")
                case "approve" | "reject" as decision:
                    return {"type": decision}
                case "all" | "quit" as decision:
                    self.rest = FOR_THE_REST[decision]
                    return {"type": self.rest}
                case _:
                    notice = "Please answer a, r, e, d, all or q."
            put(self.console, Text(notice, style="yellow"))


def _edited(action: dict[str, Any], words: str) -> dict[str, Any]:
    return {"type": "edit", "edited_action": {"name": action["name"], "args": {**action["args"], "after": words}}}


def _ask(question: str, out: Console) -> str:
    try:
        return Prompt.ask(Text(question), console=out, default="", show_default=False).strip()
    except (KeyboardInterrupt, EOFError):
        put(out, Text())  # further output starts on a new line
        raise
