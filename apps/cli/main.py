"""The command line: its commands, one-line messages about what a person can fix, and exit codes.

Slow modules are imported by the commands that need them: `errata --help` should not wait for LangGraph.
"""

import sys
from functools import cache
from importlib.metadata import EntryPoint, distribution
from typing import NoReturn

import click
from rich.text import Text

from ...state.errors import ConfigurationError, ErrataError, similar
from .check import check
from .correct import ask, correct, detoxify, resume, solve
from .info import doctor, graph, methods, prompts, settings
from .models import models
from .serve import chat, mcp, serve
from .start import INTERRUPTED
from .terminal import streams, tell

EPILOG = (
    "Exit codes: 0 done (or paused for review), 1 something failed and left text unchecked or a result unwritten, or a "
    "program was found wrong (`solve`), 2 bad usage, 3 the condition of `--fail-on` is met, 130 ended by Ctrl-C."
)
HELP = {"help_option_names": ["-h", "--help"], "max_content_width": 100}


class Commands(click.Group):
    """The commands of this folder, and those that pyproject.toml lists as `errata.commands`, imported on demand."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """All names, sorted, those of other packages included."""
        return sorted([*super().list_commands(ctx), *_more_commands()])

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command, imported now; None if there is none."""
        more = _more_commands()
        return more[cmd_name].load() if cmd_name in more else super().get_command(ctx, cmd_name)


@click.group(cls=Commands, epilog=EPILOG, context_settings=HELP)
@click.version_option(package_name="langgraph-errata")
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
    resume,
    serve,
    settings,
    solve,
):
    cli.add_command(command)


@cache
def _more_commands() -> dict[str, EntryPoint]:
    """Commands defined in their own modules, or in rooms above this one."""
    ours = distribution("langgraph-errata").entry_points.select(group="errata.commands")
    return {command.name: command for command in ours}


def carry_out(command: click.Command) -> NoReturn:
    """Run a command with the program's arguments. What a person can fix is one line on standard error, and code 2."""
    with streams():
        sys.exit(_exit_code(command))


def _exit_code(command: click.Command) -> int:
    try:
        code: int | None = command(standalone_mode=False)
        return code or 0
    except click.exceptions.NoArgsIsHelpError as error:
        error.show()
        return error.exit_code
    except click.ClickException as error:
        used = error.ctx.command_path if isinstance(error, click.UsageError) and error.ctx else "errata"
        _complain(f"{_problem(error)} Try '{used} --help' for help.")
        return error.exit_code
    except (click.Abort, KeyboardInterrupt):
        return INTERRUPTED
    except ErrataError as error:
        _complain(str(error))
        return 2 if isinstance(error, ConfigurationError) else 1


def _problem(error: click.ClickException) -> str:
    """What is wrong, as a sentence; for an unknown name with similar ones, if there are any."""
    if not isinstance(error, click.NoSuchOption | click.NoSuchCommand):
        return f"{error.format_message().removesuffix('.')}."
    name = error.option_name if isinstance(error, click.NoSuchOption) else error.command_name
    names = {each.lstrip("-"): each for each in error.possibilities or ()}  # click counts the dashes as alike
    like = " or ".join(f"'{names[each]}'" for each in similar(name.lstrip("-"), names))
    return f"{error.message.removesuffix('.')}{f': did you mean {like}?' if like else '.'}"


def _complain(problem: str) -> None:
    """Say in one line what went wrong."""
    tell(Text.assemble(("errata: ", "red"), " ".join(problem.split())))


def main() -> None:
    """Run the command line."""
    carry_out(cli)
