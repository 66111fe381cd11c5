"""One run of a method from the command line: the settings, the progress, the result, the exit code."""

import asyncio
import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from rich.text import Text

from ...graphs import METHODS, check_method
from ...state.errors import ConfigurationError
from ..start import INTERRUPTED
from ..terminal import console, exact, say, tell

if TYPE_CHECKING:
    from ...state import Result
    from ...state.refcheck import RefCheckResult
    from ..run import Run


CONTRADICTED = 3
"""Exit code where the text still contradicts evidence that was found."""


def run(
    graph_input: dict[str, Any],
    *,
    method: str,
    backends: tuple[str, ...],
    more: tuple[str, ...],
    checkpoint: Path | None,
    report: Path | None,
    as_json: bool,
    **options: Any,
) -> None:
    """Run a method on an input, and finish with its result. `options` are fields of the Context."""
    check_method(method)
    check_writable(report)
    from ..progress import Progress
    from ..review import reviewer
    from ..settings import check_input, check_read, check_words, make_context

    check_words(graph_input)

    context = make_context(options, backends, more)
    if context.review and not reviewer() and not checkpoint:
        raise ConfigurationError("--review asks in a terminal: run it in one, or add --checkpoint FILE to resume later")
    with Progress(console(stderr=True)) as progress:
        from ..run import (  # and with it LangGraph, which takes a second: under the eyes of the progress line
            Run,
            check_named,
        )

        check_read(context, method)
        check_named(method, context)
        check_input(method, graph_input)
        this = Run(method, context, progress, reviewer(), checkpoint)
        result = asyncio.run(this.start(graph_input))
    finish(this, result, report, as_json)


def finish(run: "Run", result: "Result | None", report: Path | None, as_json: bool) -> None:
    """Show or print the result, write the report, and leave with the exit code."""
    go_on = f"errata resume --checkpoint {shlex.quote(str(run.checkpoint))} --thread {run.thread}"
    if result is None:
        tell(Text(f"The run waits for review. Continue it with: {go_on}"))
        return
    try:
        print_result(run, result, as_json)
    finally:  # each has to come out even if the other cannot
        if report:
            from ..report import write

            write(result, report, method=run.method, question=run.question, settings=run.changed_settings())
            tell(Text(f"Report: {report}"))
    if run.interrupted:
        if run.checkpoint:
            tell(Text(f"The run was interrupted. Continue it with: {go_on}"))
        sys.exit(INTERRUPTED)
    if result["stopped"] == "error" or found_wrong(run, result):
        sys.exit(1)
    sys.exit(CONTRADICTED if result["unresolved"] and "claims" not in result else 0)


def print_result(run: "Run", result: "Result", as_json: bool) -> None:
    """Print the result on standard output."""
    if as_json:
        say(exact(result, indent=2))
    elif "claims" in result:
        from ..claims import show_claims

        show_claims(console(), cast("RefCheckResult", result), drafted=run.drafted)
    else:
        from ..show import show

        show(console(), result, drafted=run.drafted)


def found_wrong(run: "Run", result: "Result") -> bool:
    """Whether a program comes to no answer, or to one that the last critique found wrong."""
    if not METHODS[run.method].programs:
        return False
    last = result["verdicts"][-1]["label"] if result["verdicts"] else ""
    return not result.get("answer") or last == "contradiction"


def check_writable(file: Path | None, option: str = "--report") -> None:
    """Raise ConfigurationError before the work if a file could not be written after it."""
    if file and (file.is_dir() or not file.parent.is_dir()):
        raise ConfigurationError(f"{option} {file}: name a file in a folder that exists")
