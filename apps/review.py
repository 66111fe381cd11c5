"""Asking the person at the terminal about a proposed edit."""

from typing import Any

from rich.console import Console
from rich.prompt import Prompt
from rich.text import Text

from .show import quote


def ask_person(proposal: dict[str, Any]) -> dict[str, Any]:
    """Show an edit with its evidence; return accept, reject or rewrite, as the graph's review expects."""
    console = Console(stderr=True)
    edit, evidence = proposal["edit"], proposal["evidence"]
    around = proposal["text"]
    shown = Text("\n… " if edit["start"] > 60 else "\n")
    shown.append(around[max(edit["start"] - 60, 0) : edit["start"]])
    shown.append(edit["before"], style="red strike")
    shown.append(edit["after"], style="bold green")
    shown.append(around[edit["end"] : edit["end"] + 60])
    shown.append(f"\n{proposal['question']}", style="bold")
    shown.append(f"\n“{quote(evidence['text'])}”", style="italic")
    shown.append(f"\n{evidence['title']} · {evidence['source']}", style="dim")
    console.print(shown)
    if proposal.get("problem"):
        console.print(Text(proposal["problem"], style="yellow"))
    action = Prompt.ask(
        "Accept, reject or rewrite", choices=["accept", "reject", "rewrite"], default="accept", console=console
    )
    if action == "rewrite":
        return {"action": action, "text": Prompt.ask("Put instead", console=console)}
    return {"action": action}
