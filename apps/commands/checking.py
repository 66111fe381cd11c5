"""`errata check`: one response, or many, claim by claim."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import click
from rich.text import Text

from ...state.errors import ConfigurationError
from ..cli.delivery import check_writable, meets
from ..cli.options import FILE, many_sources_option, run_options, search_option
from ..cli.start import INTERRUPTED
from ..cli.terminal import console, exact, put, say, tell
from .running import FOUND, run

if TYPE_CHECKING:
    from ...state import Result


@click.command(short_help="Check a response claim by claim, and correct nothing.")
@click.argument("response", metavar="[RESPONSE | INPUT.jsonl]", required=False)
@click.option("--file", type=FILE, help="Read the response from a file of any kind that --sources reads.")
@click.option("--question", default="", help="The question it answers; without a response, an answer is drafted.")
@click.option("-o", "--output", type=FILE, metavar="OUTPUT.jsonl", help="Check the rows of a file; - for stdout.")
@click.option("--picture", type=FILE, metavar="FILE.svg", help="Draw the averages of each group.")
@many_sources_option
@search_option
@click.option(
    "--fail-on",
    type=click.Choice(["contradiction", "unsupported", "never"]),
    help="When to end with exit code 3 (default contradiction; with -o, never).",
)
@run_options
def check(
    response: str | None,
    file: Path | None,
    question: str,
    sources: tuple[str, ...],
    output: Path | None,
    picture: Path | None,
    fail_on: str | None,
    **options: Any,
) -> None:
    """Split RESPONSE (or - for standard input) into claims, and check each against the references.

    With -o OUTPUT, check many: INPUT has a JSON object in each line (- for standard input), {"id", "response",
    "question", "references", "group"}, all but response optional.
    """
    from ..settings import named_sources, read_text

    references, folder = named_sources(sources, "refchecker")
    options["sources"] = folder
    if output:
        if not response or file or question or references or options["report"] or options["checkpoint"]:
            raise ConfigurationError(
                "with -o, give INPUT.jsonl and leave out the options for a single response: the rows hold everything"
            )
        check_many(Path(response), output, picture, fail_on or "never", **options)
    if picture:
        raise ConfigurationError("--picture goes with INPUT.jsonl -o OUTPUT.jsonl")
    graph_input: dict[str, Any] = {"question": question, "references": references}
    if response is not None or file or not question.strip():
        graph_input["text"] = read_text(response, file, sys.stdin.buffer, "a response to check")
    run(graph_input, method="refchecker", fail_on=fail_on or "contradiction", **options)


def check_many(
    rows: Path,
    output: Path,
    picture: Path | None,
    fail_on: str,
    *,
    backends: tuple[str, ...],
    more: tuple[str, ...],
    as_json: bool,
    report: None,
    checkpoint: None,
    **options: Any,
) -> None:
    """Check every row of a file, and exit with the exit code. The results go to standard output or to a file."""
    if picture and picture.suffix.lower() != ".svg":
        raise ConfigurationError(f"--picture {picture}: give it a name that ends in .svg, as in bars.svg")
    to_stdout = str(output) == "-"
    for option, path in (("-o", None if to_stdout else output), ("--picture", picture)):
        check_writable(path, option)
        if path and path.exists() and rows.exists() and path.samefile(rows):
            raise ConfigurationError(f"{path} is the input: name another file to write to")
    from ..batch.progress import BatchProgress, ended
    from ..cli.macro import picture as drawn
    from ..cli.macro import table
    from ..files import save
    from ..many import METHOD, averages, check_all, checked, files
    from ..progress import skipped
    from ..settings import check_read, make_context

    context = make_context(options, backends, more)
    check_read(context, METHOD)
    with files(rows, None if to_stdout else output) as (source, target):
        try:
            with BatchProgress(console(stderr=True)) as progress:
                summary = check_all(source, target, context, progress)
        finally:  # the checked rows are worth having, whatever happened to the others
            for row in checked(target) if to_stdout else ():
                say(exact(row))
        failing = False
        for row in checked(target):
            if row["error"]:
                tell(Text(f"line {row['line']}: {row['error']}", style="yellow"))
            failing = failing or ("claims" in row and meets(cast("Result", row), fail_on))
        groups = averages(checked(target))
    for line in skipped(summary.skipped):
        tell(Text(line, style="yellow"))
    tell(Text(ended(summary)))
    beside = console(stderr=to_stdout)  # of the rows, if they went to standard output
    if as_json:
        beside.print(Text(exact(groups, indent=2)), soft_wrap=True)
    else:
        put(beside, table(groups))
    if picture:
        save(picture, drawn(groups, "Claims by label"), "--picture")
    if not to_stdout and (summary.left or summary.failed):
        tell(Text("Run the same command to continue and to retry what failed."))
    if summary.stopped == "interrupted":
        sys.exit(INTERRUPTED)
    sys.exit(1 if not summary.complete else FOUND if failing else 0)
