"""Commands that say what there is: methods, their graphs, settings, and how this machine is set up."""

import asyncio
import sys

import click
from rich.text import Text

from ...graphs import METHODS
from ..terminal import console, exact, put, say


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Print them as a JSON object.")
def methods(as_json: bool) -> None:
    """List the methods."""
    if as_json:
        say(exact({name: method.title for name, method in METHODS.items()}, indent=2))
        return
    for name, method in METHODS.items():
        put(console(), Text.assemble((name, "bold"), f"  {method.title}"))


@click.command()
@click.argument("method")
def graph(method: str) -> None:
    """Print a METHOD's state machine as Mermaid."""
    from ...graphs import load

    say(load(method).get_graph().draw_mermaid())


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Print them as a JSON schema.")
def settings(as_json: bool) -> None:
    """List every setting of a run, for --set and for `context={...}` in Python."""
    from ...state import Context

    if as_json:
        say(exact(Context.model_json_schema(), indent=2))
        return
    for name, field in Context.model_fields.items():
        default = field.get_default(call_default_factory=True)
        put(console(), Text.assemble((name, "bold"), f" = {default}\n    {field.description}"))


@click.command()
@click.option("--offline", is_flag=True, help="Try nothing that costs money or needs the network.")
@click.option("--json", "as_json", is_flag=True, help="Print the findings as a JSON list.")
def doctor(offline: bool, as_json: bool) -> None:
    """Say what is configured, what is missing and how to get it; try each."""
    from ..doctor import examine, show_findings

    findings = asyncio.run(examine(offline=offline))
    if as_json:
        say(exact(findings, indent=2))
    else:
        show_findings(console(), findings)
    if any(finding["status"] == "broken" for finding in findings):
        sys.exit(1)
