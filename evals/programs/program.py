"""The shared parts of the measuring commands: their options, reading input, and showing results."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar

import click
from rich.table import Table

from ...apps.cli.options import Whole
from ...apps.cli.terminal import console, exact, say
from ...state.errors import ConfigurationError, naming

T = TypeVar("T")
Option = Callable[[Callable[..., None]], Callable[..., None]]

PATH = click.Path(path_type=Path)
limit_option: Option = click.option("--limit", type=Whole(min=1), metavar="N", help="Take the first N rows.")
json_option: Option = click.option("--json", "as_json", is_flag=True, help="Print the figures as one line of JSON.")


def read(path: Path | None, reader: Callable[..., T], *arguments: Any) -> T:
    """The result of a reader for a file.

    Args:
        path: The file, for the message.
        reader: A function that raises OSError or ValueError for a file that it cannot read.
        arguments: The arguments of the reader.

    Raises:
        ConfigurationError: If the file cannot be read, or holds no rows.
    """
    try:
        with naming(path):
            found = reader(*arguments)
    except UnicodeDecodeError:
        raise ConfigurationError(f"cannot read {path}: it is not UTF-8") from None
    except ValueError as error:
        raise ConfigurationError(f"cannot read {path}: {error}") from None
    if not (any(found.values()) if isinstance(found, Mapping) else found):
        raise ConfigurationError(f"{path} holds no rows: there is nothing to measure")
    return found


def put(figures: Any, as_json: bool, *tables: Table) -> None:
    """Print figures: as JSON, or as tables for people."""
    if as_json:
        say(exact(figures))
        return
    for table in tables:
        console().print(table)


def table(title: str, columns: Mapping[str, Mapping[str, Any]]) -> Table:
    """Figures in rows, runs in columns; a single run needs no heading."""
    figures_table = Table("", *columns, title=title, title_justify="left", show_header=len(columns) > 1)
    for name in next(iter(columns.values())):
        figures_table.add_row(name.replace("_", " "), *(figure(column[name]) for column in columns.values()))
    return figures_table


def figure(value: Any) -> str:
    """A figure for people: `-` for none, and at most three decimals."""
    return "-" if value is None else f"{value:,.3f}" if isinstance(value, float) else str(value)
