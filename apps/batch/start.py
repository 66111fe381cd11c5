"""From the user's options to a running batch."""

import asyncio
from collections.abc import Mapping
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any

from ...graphs import check_method, load
from ...state import Context
from ...state.errors import ConfigurationError, naming
from ...state.runs.cache import Shelf
from ...state.runs.kept import written
from ..reports.display import only_bundled
from ..run import check, check_named
from ..settings import check_read, make_context
from .engine import Batch, RunOne, Summary, Watcher, check_paths, run_batch, run_rows
from .rows import Schema, lines, parse

LOOKED_AT = 100
"""How many rows' inputs are checked before the first row runs."""
BATCH_FIELDS = ("workers", "processes", "max_calls", "max_cost", "max_failures", "retry_failed", "ordered")


def start(
    method: str, source: Path, output: Path, watcher: Watcher, engine: str, options: Mapping[str, Any]
) -> Summary:
    """Run a batch as requested on the command line.

    Raises:
        ConfigurationError: If the batch cannot work; raised before the first row.
        DiskError: If the output cannot be written.
    """
    check_method(method)
    settings = dict(options)
    bounds = {name: settings.pop(name) for name in BATCH_FIELDS if name in settings}
    context = make_context(settings, settings.pop("backends", ()), settings.pop("more", ()))
    check_read(context, method)
    check_named(method, context)
    batch = make_batch(method, source, output, context, **bounds)
    if engine == "ray":
        from .on_ray import run_on_ray

        if batch.processes > 1:
            raise ConfigurationError("--processes is for the local engine: Ray starts its own processes")
        return run_on_ray(batch, context, watcher)
    return run_here(batch, context, watcher)


def run_here(batch: Batch, context: Context, watcher: Watcher) -> Summary:
    """Run a batch on this machine, in as many processes as it says. Raises as `run_batch`."""
    return asyncio.run(_run_here(batch, context, watcher))


async def _run_here(batch: Batch, context: Context, watcher: Watcher) -> Summary:
    if batch.processes == 1:
        return await run_batch(batch, graph_of(batch.method, context), watcher)
    from .processes import Processes

    async with Processes(batch.method, context, batch.replies, batch.processes, watcher.says) as processes:
        return await run_rows(batch, processes.run, watcher)


def make_batch(
    method: str, source: Path, output: Path, context: Context, called: Mapping[str, str] | None = None, **bounds: Any
) -> Batch:
    """A batch of a method.

    Args:
        method: The method.
        source: The input file.
        output: The output file.
        context: The settings of the runs.
        called: The rows' names of input fields, if they differ from the method's.
        bounds: Further fields of a Batch.

    Raises:
        ConfigurationError: If settings or rows cannot work.
    """
    settings = written(context)
    schema = Schema(load(method).builder.input_schema, called)
    bounds.setdefault("replies", Shelf(output.with_name(f"{output.name}.replies")))
    batch = Batch(source, output, method, settings, schema, **bounds)
    check_paths(batch)
    if context.review:
        raise ConfigurationError("nobody can review the rows of a batch: leave `review` off")
    if batch.max_cost is not None and (context.input_price is None or context.output_price is None):
        raise ConfigurationError("--max-cost needs the prices: --set input_price=0.25 --set output_price=2")
    tools = check(method, context, drafting=_drafting(batch))
    skipped = [each for tool in tools for each in getattr(tool, "skipped", [])]
    return replace(batch, skipped=skipped, bundled=only_bundled(context))


def graph_of(method: str, context: Context) -> RunOne:
    """A function that runs one input."""
    graph = load(method)
    return lambda given: graph.ainvoke(given, context=context)


def _drafting(batch: Batch) -> bool:
    """Whether one of the first rows has no text, so that one is drafted. Raises if none can be run."""
    wrong = ""
    drafting: list[bool] = []
    with naming(batch.source), batch.source.open("rb") as file:
        first = list(islice(lines(file), LOOKED_AT))
    for row in (parse(line, batch.schema) for line in first):
        wrong = wrong or (f"line {row.line}: {row.wrong}" if row.wrong else "")
        if not row.wrong:
            drafting.append(not row.given.get("text"))
    if not first:
        raise ConfigurationError(f"{batch.source} holds no rows: write a JSON object in each line")
    if wrong and not drafting:
        raise ConfigurationError(f"{batch.source} has no row that {batch.method} can run; {wrong}")
    return any(drafting)
