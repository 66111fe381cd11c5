"""The command line."""

from functools import cache
from importlib.metadata import EntryPoint, distribution

import click

from ..commands.checking import check
from ..commands.correcting import ask, correct, detoxify, resume, solve
from ..commands.local import models
from ..commands.serving import chat, mcp, serve
from ..commands.telling import doctor, graph, methods, prompts, settings
from ..purr.commands import purr
from .program import carry_out

EPILOG = (
    "Exit codes: 0 done (or paused for review), 1 something failed and left text unchecked or a result unwritten, or a "
    "program was found wrong (`solve`), 2 bad usage, 3 the condition of `--fail-on` is met, 130 ended by Ctrl-C."
)
HELP = {"help_option_names": ["-h", "--help"], "max_content_width": 100}


class Commands(click.Group):
    """The commands of `commands/`, and those that pyproject.toml lists as `errata.commands`, imported on demand."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """All names, sorted, those of other packages included."""
        return sorted([*super().list_commands(ctx), *_more_commands()])

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command, imported now; None if there is none."""
        more = _more_commands()
        return more[cmd_name].load() if cmd_name in more else super().get_command(ctx, cmd_name)


@click.group(cls=Commands, epilog=EPILOG, context_settings=HELP)
@click.version_option(package_name="errata")
def cli() -> None:
    """Check the output of language models with tools, and correct it."""


for command in (
    ask,
    chat,
    check,
    correct,
    detoxify,
    doctor,
    graph,
    mcp,
    methods,
    models,
    prompts,
    purr,
    resume,
    serve,
    settings,
    solve,
):
    cli.add_command(command)


@cache
def _more_commands() -> dict[str, EntryPoint]:
    """Commands defined in their own modules, or in rooms above this one."""
    ours = distribution("errata").entry_points.select(group="errata.commands")
    return {command.name: command for command in ours}


def main() -> None:
    """Run the command line."""
    carry_out(cli)
