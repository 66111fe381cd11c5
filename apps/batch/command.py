"""`errata batch`."""

import sys
from pathlib import Path
from typing import Any

import click
from rich.text import Text

from ..cli.options import (
    FILE,
    Whole,
    backend_option,
    input_argument,
    model_options,
    no_tools_option,
    rounds_option,
    search_options,
    together,
)
from ..cli.start import INTERRUPTED
from ..cli.terminal import console, exact, say, tell

row_options = together(
    search_options,
    click.option(
        "--scorer", "toxicity", metavar="NAME", help="profanity (default), perspective, moderation or detoxify."
    ),
    rounds_option,
    click.option("--draft", metavar="HOW", help="direct, cot, self_consistency or react."),
    no_tools_option,
    model_options,
    backend_option,
)
"""How each row is run."""

batch_options = together(
    click.option(
        "--workers",
        type=Whole(min=1, max=4096),
        default=16,
        show_default=True,
        help="How many rows run at once.",
    ),
    click.option(
        "--processes",
        type=Whole(min=1, max=64),
        default=1,
        show_default=True,
        help="In how many processes they run.",
    ),
    click.option(
        "--max-calls",
        type=Whole(min=1),
        metavar="N",
        help="Stop before making more model calls for all rows together.",
    ),
    click.option(
        "--max-cost",
        type=float,
        metavar="USD",
        help="Stop before spending more; needs --set input_price=X --set output_price=Y.",
    ),
    click.option(
        "--max-failures",
        type=Whole(min=1),
        default=100,
        show_default=True,
        metavar="N",
        help="Stop when N rows have failed one after another.",
    ),
    click.option("--retry-failed", is_flag=True, help="Run rows that failed or are unchecked again."),
)
"""How many rows are run, and when to stop."""


UNDECIDED = ("unchanged", "not checked")
"""The statuses of results that more to search could change."""


@click.command(short_help="Run a method over many rows.")
@click.argument("method")
@input_argument
@click.option("-o", "--output", type=FILE, required=True, metavar="OUTPUT", help="JSON Lines, a line for each row.")
@batch_options
@click.option("--ordered", is_flag=True, help="Sort the output in the order of the input at the end.")
@click.option(
    "--engine", type=click.Choice(["local", "ray"]), default="local", show_default=True, help="What runs the rows."
)
@row_options
@click.option("--json", "as_json", is_flag=True, help="Print how it ended as one JSON object.")
def batch(method: str, source: Path, output: Path, engine: str, as_json: bool, **options: Any) -> None:
    """Run METHOD over every row of INPUT (JSON Lines).

    A row is a JSON object with the method's input (`text`, `question`, ...) and any other fields, which the output
    repeats. However the run ends, the same command continues it.

    Exit codes: 0 every row is done, 1 some are not, 2 bad usage, 130 interrupted (Ctrl-C).
    """
    from ..reports.display import ONLY_BUNDLED
    from .progress import BatchProgress, show
    from .start import start

    with BatchProgress(console(stderr=True)) as progress:
        summary = start(method, source, output, progress, engine, options)
    show(console(stderr=True), summary, again(summary))
    if advice := mending(summary, retried=options["retry_failed"]):
        tell(Text(advice))
    if summary.bundled and summary.ledger.usage["searches"] and any(map(summary.ledger.statuses.get, UNDECIDED)):
        tell(Text(ONLY_BUNDLED))
    if as_json:
        say(exact(summary.as_json()))
    sys.exit(INTERRUPTED if summary.stopped == "interrupted" else 0 if summary.complete else 1)


def again(summary: Any) -> str:
    """What to do about rows that are not done."""
    if summary.stopped == "budget":
        return "Stopped by the budget. The same command with a larger --max-calls or --max-cost continues it."
    if summary.stopped == "failures":
        return (
            "Stopped: too many rows failed one after another. Fix the cause, then run the command with --retry-failed."
        )
    if summary.stopped == "interrupted":
        return "Stopped. The same command continues it."
    if summary.failed:
        return "The same command with --retry-failed runs the failed rows again."
    return ""


def mending(summary: Any, *, retried: bool) -> str:
    """What to do about rows that cannot be run; empty if there are none."""
    if not summary.ledger.counts["malformed"]:
        return ""
    none_of_them = "--retry-failed runs no malformed rows. " if retried else ""
    return f"{none_of_them}Append the corrected rows to the end of the input; the same command then runs them."
