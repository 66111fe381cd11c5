"""One run of a method from the command line: the settings, the progress, the result, the exit code."""

import asyncio
import shlex
import sys
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.text import Text

from ...graphs import METHODS, check_method
from ...state.errors import ConfigurationError
from ..cli.delivery import Delivery, meets
from ..cli.start import INTERRUPTED
from ..cli.terminal import console, tell

if TYPE_CHECKING:
    from ...state import Result
    from ..run import Run


FOUND = 3
"""The exit code if the condition of `--fail-on` is met: by default, a contradiction remains."""


def run(
    graph_input: dict[str, Any],
    *,
    method: str,
    backends: tuple[str, ...],
    more: tuple[str, ...],
    checkpoint: Path | None,
    **options: Any,
) -> None:
    """Run a method on an input, and finish with its result. `options` are fields of the Context and of a Delivery."""
    check_method(method)
    delivery_options = {
        each.name: options.pop(each.name) for each in fields(Delivery) if each.init and each.name in options
    }
    delivery = Delivery(**delivery_options)
    delivery.check()
    from ..cli.review import reviewer
    from ..progress import Progress
    from ..settings import check_input, check_read, check_words, check_writer, make_context

    check_words(graph_input)

    context = make_context(options, backends, more)
    if context.review and not reviewer() and not checkpoint:
        raise ConfigurationError("--review needs a terminal: run it in one, or add --checkpoint FILE to resume later")
    with Progress(console(stderr=True, quiet=delivery.quiet)) as progress:
        from ..run import (  # and with it LangGraph, which takes a second: while the progress line is shown
            Run,
            check_named,
        )

        check_read(context, method)
        check_named(method, context)
        check_input(method, graph_input)
        check_writer(method, graph_input, context)
        this = Run(method, context, progress, reviewer(), checkpoint)
        result = asyncio.run(this.start(graph_input))
    finish(this, result, delivery)


def finish(run: "Run", result: "Result | None", delivery: Delivery) -> None:
    """Show or print the result, write its files, and exit with the exit code."""
    go_on = f"errata resume --checkpoint {shlex.quote(str(run.checkpoint))} --thread {run.thread}"
    if result is None:
        tell(Text(f"The run is waiting for review, which needs a terminal. Continue it in one with: {go_on}"))
        return
    delivery.deliver(run, result)
    if run.interrupted:
        if run.checkpoint:
            tell(Text(f"The run was interrupted. Continue it with: {go_on}"))
        sys.exit(INTERRUPTED)
    failed = result["stopped"] == "error" or found_wrong(run, result)
    code = 1 if failed else FOUND if meets(result, delivery.fail_on) else 0
    if excuse := delivery.excuse(code, result):
        tell(Text.assemble(("errata: ", "red"), excuse))
    sys.exit(code)


def found_wrong(run: "Run", result: "Result") -> bool:
    """Whether a program has no answer, or the last critique found its answer wrong."""
    if not METHODS[run.method].programs:
        return False
    last = result["verdicts"][-1]["label"] if result["verdicts"] else ""
    return not result.get("answer") or last == "contradiction"
