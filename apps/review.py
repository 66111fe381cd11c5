"""Asking the person at the terminal about a proposed edit."""

from typing import Any

from rich.console import Console
from rich.prompt import Prompt
from rich.text import Text

from .show import changed, quote
from .terminal import colourless, console, put

ACTIONS = ("accept", "reject", "rewrite", "delete")
AROUND = 60
"""Characters shown on each side of an edit."""


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
    text.append(f"\n“{quote(evidence['text'])}”", style="italic")
    text.append(f"\n{evidence['title']} · {evidence['source']}", style="dim")
    put(shown, text)
    if proposal.get("problem"):
        put(shown, Text(proposal["problem"], style="yellow"))
    return _answer(shown)


def _answer(shown: Console) -> dict[str, Any]:
    while True:
        said = _ask("(a)ccept, (r)eject, re(w)rite or (d)elete the words [Enter: accept]", shown).lower() or "accept"
        match _action(said):
            case "rewrite":
                while not (words := _ask("Put instead", shown)):
                    put(shown, Text("Type the words; to have none there, answer delete.", style="yellow"))
                return {"action": "rewrite", "text": words}
            case "delete":
                return {"action": "rewrite", "text": ""}
            case "accept" | "reject" as action:
                return {"action": action}
        put(shown, Text("Please answer a, r, w or d.", style="yellow"))


def _action(said: str) -> str:
    """The action that is meant, or nothing. Of the two that begin alike, `r` is the one that changes nothing."""
    return "rewrite" if said == "w" else next((action for action in ACTIONS if action.startswith(said)), "")


def _ask(question: str, shown: Console) -> str:
    return Prompt.ask(Text(question), console=shown, default="", show_default=False).strip()
