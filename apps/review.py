"""Asking the person at the terminal about a proposed edit."""

import sys
from collections.abc import Callable
from typing import Any

from rich.console import Console
from rich.prompt import Prompt
from rich.text import Text

from .show import changed, quote
from .terminal import colourless, console, put

ACTIONS = ("accept", "reject", "rewrite", "delete")
AROUND = 60
"""Characters shown on each side of an edit."""


def reviewer() -> Callable[[dict[str, Any]], dict[str, Any]] | None:
    """Who reviews edits: the person at the terminal, if there is one."""
    return ask_person if sys.stdin.isatty() and sys.stderr.isatty() else None


def ask_person(proposal: dict[str, Any]) -> dict[str, Any]:
    """Show an edit with its evidence; return accept, reject or rewrite, as the graph's review expects."""
    shown = console(stderr=True)
    edit, evidence = proposal["edit"], proposal["evidence"]
    around = proposal["text"]
    text = Text("\n… " if edit["start"] > AROUND else "\n")
    text.append(around[max(edit["start"] - AROUND, 0) : edit["start"]])
    text.append(changed(edit["before"], edit["after"], marked=colourless(shown)))
    text.append(around[edit["end"] : edit["end"] + AROUND])
    text.append(f"\n{proposal['question']}", style="bold")
    if evidence:
        text.append(f"\n“{quote(evidence['text'])}”", style="italic")
        text.append(f"\n{evidence['title']} · {evidence['source']}", style="dim")
    else:
        text.append(f"\n{quote(edit['reason'])}", style="italic")
    put(shown, text)
    if proposal.get("problem"):
        put(shown, Text(proposal["problem"], style="yellow"))
    return _answer(shown)


def _answer(shown: Console) -> dict[str, Any]:
    while True:
        said = _ask("(a)ccept, (r)eject, re(w)rite or (d)elete the words [Enter: accept]", shown).lower() or "accept"
        match _action(said):
            case "rewrite":
                if words := _ask("Put instead", shown):
                    return {"action": "rewrite", "text": words}
                said = "Nothing was typed. To have no words there, answer d."
            case "delete":
                return {"action": "rewrite", "text": ""}
            case "accept" | "reject" as action:
                return {"action": action}
            case _:
                said = "Please answer a, r, w or d."
        put(shown, Text(said, style="yellow"))


def _action(said: str) -> str:
    """The action that is meant, or nothing. Of the two that begin alike, `r` is the one that changes nothing."""
    return "rewrite" if said == "w" else next((action for action in ACTIONS if action.startswith(said)), "")


def _ask(question: str, shown: Console) -> str:
    try:
        return Prompt.ask(Text(question), console=shown, default="", show_default=False).strip()
    except (KeyboardInterrupt, EOFError):
        put(shown, Text())  # what follows begins a line of its own
        raise
