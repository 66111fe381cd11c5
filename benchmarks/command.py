"""Measure what the methods take: model calls, waits, seconds, memory, and how they grow.

A loopback server stands in for models and web; every model call, search, page and score takes 100 ms. So what goes
beyond the waits that a method needs is our own. PARTS are methods, `questions`, `evidence`, `rows`, `documents`,
`start`, `nodes` and `peers`; without any, all are measured, each in a process of its own.
"""

import json
import os
import platform
from collections.abc import Iterator, Sequence
from typing import Any

import click
from rich.console import Console
from rich.measure import Measurement
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table

from errata.apps.cli.terminal import console

METHODS = (
    "ground",
    "rarr",
    "purr",
    "critic_qa",
    "critic_program",
    "critic_toxicity",
    "verify_and_edit",
    "refchecker",
    "llm_augmenter",
)
PARTS = (*METHODS, "questions", "evidence", "rows", "documents", "start", "nodes", "peers")
CHECKED = ("nodes", "peers")
WIDTH = 120
"""Columns, where there is no terminal and COLUMNS does not say."""


@click.command(help=__doc__)
@click.argument("parts", nargs=-1, metavar="[PARTS]...", type=click.Choice(PARTS))
@click.option("--json", "as_json", is_flag=True, help="Print the figures as one JSON object.")
@click.option("--check", is_flag=True, help="Measure only `nodes`, or PARTS, and fail if errata has become slower.")
def main(parts: tuple[str, ...], as_json: bool, check: bool) -> None:
    """Measure those that are named, or all."""
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # where it is set, every process compiles all modules again
    if check:
        _check(parts or CHECKED[:1])
        return
    conditions = _conditions()
    found: dict[str, Any] = {}
    for name in _told(console(stderr=True), parts or PARTS):
        try:
            found[name] = _measure(name)
        except RuntimeError as error:
            raise click.ClickException(f"{name}: {error}") from error
    if as_json:
        click.echo(json.dumps({"conditions": conditions, **found}, indent=2))
    else:
        _show(found)


def _check(parts: Sequence[str]) -> None:
    """Fail if a ratio is not as it should be. Raises ClickException, which says which."""
    if others := set(parts) - set(CHECKED):
        raise click.UsageError(f"{' and '.join(sorted(others))} cannot be checked; {' and '.join(CHECKED)} can")
    from .own import TIMES_EMPTY, is_slower, quickest
    from .peers import check

    slower: list[str] = []
    if "nodes" in parts:
        nodes = [quickest(method) for method in _told(console(stderr=True), tuple(TIMES_EMPTY))]
        _show({"nodes": nodes})
        slower += [f"a node of {each['method']}" for each in nodes if is_slower(each)]
    if "peers" in parts:
        races = check()
        _show({"peers": races})
        slower += [f"{each['method']}, {each['what']}" for each in races if each["ratio"] < each["least"]]
    if slower:
        raise click.ClickException(f"slower than it was: {'; '.join(slower)}")


def _measure(part: str) -> Any:
    """The figures of a part. Imported here, because every process that is started imports this file first."""
    from .timing import alone

    if part in METHODS:
        from .methods import measure

        return alone(measure, part)
    if part == "start":
        from .start import start

        return alone(start)
    if part == "nodes":
        from .own import own

        return [own(method) for method in METHODS]
    if part == "peers":
        from .peers import peers

        return peers()
    from . import growth

    measured = getattr(growth, part)
    return measured() if part in ("rows", "documents") else alone(measured)


def _conditions() -> dict[str, Any]:
    """What the figures depend on, beside the code."""
    from .timing import LATENCY, TIMES

    return {
        "latency": LATENCY,
        "times": TIMES,
        "cores": os.cpu_count(),
        "load": os.getloadavg()[0],
        "python": platform.python_version(),
    }


def _show(found: dict[str, Any]) -> None:
    from .tables import tables

    out = console()
    if not out.is_terminal and not os.environ.get("COLUMNS"):
        out.width = WIDTH
    for table in tables(found):
        _print(table, out)


def _print(table: Table, out: Console) -> None:
    """A table, or where there is no room for it, its rows as a list: cells that are cut off say nothing."""
    if Measurement.get(out, out.options.update(max_width=10 * WIDTH), table).minimum <= out.width:
        out.print(table)
        return
    out.print(f"[bold]{table.title}[/]")
    for cells in zip(*(column.cells for column in table.columns), strict=True):
        named = zip((str(column.header) for column in table.columns), cells, strict=True)
        out.print("- " + ", ".join(f"{name}: {cell}" if name else f"{cell}" for name, cell in named if cell))


def _told(err: Console, names: Sequence[str]) -> Iterator[str]:
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
