"""Measure what the methods take: model calls, waits, seconds, memory, and how they grow.

A loopback server stands in for models and web; every model call, search, page and score takes 100 ms. So what goes
beyond the waits that a method needs is our own. PARTS are methods, `questions`, `evidence`, `rows` and `start`; without
any, all are measured, each in a process of its own.
"""

import json
import os
import platform
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

import click
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from ..apps.terminal import console
from .bench_growth import evidence, questions, rows
from .bench_methods import measure
from .bench_start import start
from .bench_tables import tables
from .cases import METHODS
from .timing import LATENCY, TIMES, alone

PARTS: dict[str, Callable[[], Any]] = {
    **{method: partial(alone, measure, method) for method in METHODS},
    "questions": partial(alone, questions),
    "evidence": partial(alone, evidence),
    "rows": rows,
    "start": partial(alone, start),
}

WIDTH = 120
"""Columns, where there is no terminal."""


@click.command(help=__doc__)
@click.argument("parts", nargs=-1, metavar="[PARTS]...", type=click.Choice(list(PARTS)))
@click.option("--json", "as_json", is_flag=True, help="Print the figures as one JSON object.")
def main(parts: tuple[str, ...], as_json: bool) -> None:
    """Measure those that are named, or all."""
    found: dict[str, Any] = {}
    for name in _shown(console(stderr=True), parts or tuple(PARTS)):
        try:
            found[name] = PARTS[name]()
        except RuntimeError as error:
            raise click.ClickException(f"{name}: {error}") from error
    if as_json:
        click.echo(json.dumps({"conditions": _conditions(), **found}, indent=2))
        return
    out = console()
    if not out.is_terminal:
        out.width = WIDTH
    for table in tables(found):
        out.print(table)


def _conditions() -> dict[str, Any]:
    """What the figures depend on, beside the code."""
    return {"latency": LATENCY, "times": TIMES, "cores": os.cpu_count(), "python": platform.python_version()}


def _shown(err: Console, names: Sequence[str]) -> Iterator[str]:
    """The names one after another, each told of: a bar on a terminal, else a line."""
    columns = (BarColumn(), MofNCompleteColumn(), TextColumn("{task.description}"), TimeElapsedColumn())
    with Progress(*columns, console=err, transient=True, disable=not err.is_terminal) as bar:
        task = bar.add_task("", total=len(names))
        for number, name in enumerate(names, start=1):
            bar.update(task, description=name)
            if not err.is_terminal:
                err.print(f"{number} of {len(names)}: {name}")
            yield name
            bar.advance(task)


if __name__ == "__main__":
    main()
