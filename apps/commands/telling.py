"""Commands that give information: methods, their graphs, settings, prompts, and the setup of this machine."""

import asyncio
import sys
from pathlib import Path

import click
from rich.text import Text

from ...graphs import METHODS, check_method
from ...state.errors import ConfigurationError, nearest
from ..cli.options import FOLDER
from ..cli.terminal import console, exact, put, say


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


@click.command(short_help="List the settings.")
@click.argument("method", required=False)
@click.option("--json", "as_json", is_flag=True, help="Print them as a JSON schema.")
def settings(method: str | None, as_json: bool) -> None:
    """List the settings that METHOD reads, or those of all methods, for --set and for `context={...}` in Python."""
    from ...state import Context
    from ...state.parts import GROUPS

    if method:
        check_method(method)
    settings_model = METHODS[method].schema if method else Context
    if as_json:
        say(exact(settings_model.model_json_schema(), indent=2))
        return
    group = ""
    for name, field in settings_model.model_fields.items():
        if GROUPS[name] != group:
            group = GROUPS[name]
            put(console(), Text(group, style="bold underline"))
        default = field.get_default(call_default_factory=True)
        put(console(), Text.assemble("  ", (name, "bold"), f" = {default}\n      {field.description}"))


@click.command(short_help="List the prompts, print one, or copy them to change them.")
@click.argument("task", required=False)
@click.option("--copy", "folder", type=FOLDER, metavar="DIR", help="Write the prompts to files in a folder.")
def prompts(task: str | None, folder: Path | None) -> None:
    """Print the prompt of a TASK, or list the tasks that have one.

    Edit the files that --copy writes, and use them with --set prompts=DIR. Delete those that you don't change.
    """
    from ...models import TASKS
    from ...prompts import prompted, source

    name = TASKS[task].prompt or task if task in TASKS else task
    if name and name not in prompted():
        listed = nearest(name, sorted(prompted()), "`errata prompts` lists them")
        raise ConfigurationError(f"there is no prompt `{task}`: {listed}")
    chosen = [name] if name else sorted(prompted())
    if folder:
        _copy({folder / f"{each}.yaml": source(each) for each in chosen})
    elif name:
        say(source(name).rstrip())
    else:
        for each in chosen:
            put(console(), Text.assemble((each, "bold"), f"  {source(each).splitlines()[0].lstrip('# ')}"))


def _copy(files: dict[Path, str]) -> None:
    """Write new files; existing ones are never overwritten."""
    for file in files:
        if file.exists():
            raise ConfigurationError(f"{file} already exists: name another folder, or delete it")
    try:
        for file, text in files.items():
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8")
    except OSError as error:
        raise ConfigurationError(f"{error.filename}: {error.strerror}") from None
    for file in files:
        say(str(file))


@click.command(short_help="Say what is set up, what is missing, and how to get it.")
@click.option("--offline", is_flag=True, help="Try nothing that costs money or needs the network.")
@click.option("--json", "as_json", is_flag=True, help="Print the findings as a JSON list.")
def doctor(offline: bool, as_json: bool) -> None:
    """Try all that errata can use, and say what works, what is missing and how to get it."""
    from ..cli.doctor import examine, show_findings

    findings = asyncio.run(examine(offline=offline))
    if as_json:
        say(exact(findings, indent=2))
    else:
        show_findings(console(), findings)
    if any(finding["status"] == "broken" for finding in findings):
        sys.exit(1)
