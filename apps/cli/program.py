"""Commands as programs: streams that may fail, one-line messages about what a person can fix, and exit codes."""

import sys
from typing import NoReturn

import click
from rich.text import Text

from ...state.errors import ConfigurationError, ErrataError, similar
from .start import INTERRUPTED
from .terminal import streams, tell


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
