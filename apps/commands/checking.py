"""`errata check`: one response, or many, claim by claim."""

import asyncio
import sys
from pathlib import Path
from typing import Any

import click
from rich.text import Text

from ...state.errors import ConfigurationError
from ..options import FILE, run_options, search_options
from ..terminal import console, exact, put
from .running import check_writable, run


@click.command()
@click.argument("response", required=False)
@click.option("--file", type=FILE, help="Read the response from a file.")
@click.option("--question", default="", help="The question that it answers; alone, an answer is drafted.")
@click.option("--reference", "references", type=FILE, multiple=True, help="Check against this file. Without, search.")
@click.option("--input", "rows", type=FILE, metavar="FILE.jsonl", help="Check many: a JSON object a line; - for stdin.")
@click.option("--output", type=FILE, metavar="FILE.jsonl", help="Where their results go (default: standard output).")
@click.option("--picture", type=FILE, metavar="FILE.svg", help="Draw what each group of them comes to.")
@search_options
@run_options
def check(
    response: str | None,
    file: Path | None,
    question: str,
    references: tuple[Path, ...],
    rows: Path | None,
    output: Path | None,
    picture: Path | None,
    **options: Any,
) -> None:
    """Take RESPONSE (or - for standard input) apart into claims, and check each against the references.

    With --input, many responses: {"id", "response", "question", "references", "group"}, all but response optional.
    """
    from ..settings import read_reference, read_text

    if rows:
        if response or file or question or references or options["report"] or options["checkpoint"]:
            raise ConfigurationError("--input takes everything from its rows: leave out what is for one response")
        check_many(rows, output, picture, **options)
    if output or picture:
        raise ConfigurationError("--output and --picture go with --input FILE.jsonl")
    graph_input: dict[str, Any] = {"question": question, "references": [read_reference(file) for file in references]}
    if response is not None or file or not question.strip():
        graph_input["text"] = read_text(response, file, sys.stdin.buffer)
    run(graph_input, method="refchecker", **options)


def check_many(
    rows: Path,
    output: Path | None,
    picture: Path | None,
    *,
    makes: tuple[str, ...],
    more: tuple[str, ...],
    as_json: bool,
    report: None,
    checkpoint: None,
    **options: Any,
) -> None:
    """Check every row of a file, and leave with the exit code. The results go to standard output or to a file."""
    for option, path in (("--output", output), ("--picture", picture)):
        check_writable(path, option)
        if path and path.exists() and rows.exists() and path.samefile(rows):
            raise ConfigurationError(f"{path} is the input: name another file to write to")
    from ..many import check_all, opened, write_rows
    from ..progress import Progress
    from ..settings import make_context

    context = make_context(options, makes, more)
    with opened(rows) as lines, Progress(console(stderr=True)) as progress:
        from ..macro import draw_to, table
        from ..run import check as check_settings

        check_settings("refchecker", context, drafting=False)
        with write_rows(output) as emit:
            groups = asyncio.run(check_all(lines, context, emit, progress))
    beside = console(stderr=output is None)  # of the rows, if they went to standard output
    if as_json:
        beside.print(Text(exact(groups, indent=2)), soft_wrap=True)
    else:
        put(beside, table(groups))
    if picture:
        draw_to(picture, groups)
    sys.exit(1 if any(average["errors"] for average in groups.values()) else 0)
