"""Many responses checked as a batch, and the averages of each group of them."""

import shutil
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, nullcontext
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, cast

from ..state import Context
from ..state.errors import ConfigurationError, naming
from ..state.methods.refcheck import RefCheckResult
from .batch.engine import Summary, Watcher
from .batch.output import flat, read_records
from .cli.macro import Average, Sums

METHOD = "refchecker"


@contextmanager
def files(rows: Path, output: Path | None) -> Iterator[tuple[Path, Path]]:
    """The files that a batch reads and writes. Input from a pipe, and output to one, go through a temporary folder.

    Args:
        rows: `-` is standard input.
        output: None for standard output.

    Raises:
        ConfigurationError: If the rows cannot be read.
    """
    with TemporaryDirectory(prefix="errata-") as folder:
        source = rows if rows.is_file() else _taken_down(rows, Path(folder) / "rows.jsonl")
        try:
            yield source, output or Path(folder) / "checked.jsonl"
        except ConfigurationError as error:
            name = "standard input" if str(rows) == "-" else str(rows)
            raise ConfigurationError(str(error).replace(str(source), name)) from None


def _taken_down(rows: Path, source: Path) -> Path:
    with (
        naming(rows),
        nullcontext(sys.stdin.buffer) if str(rows) == "-" else rows.open("rb") as pipe,
        source.open("wb") as file,
    ):
        shutil.copyfileobj(pipe, file)
    return source


def check_all(source: Path, output: Path, context: Context, watcher: Watcher) -> Summary:
    """Check every row of a file that is not yet in the output, and retry those that failed.

    Args:
        source: JSON objects `{"id", "response", "question", "references", "group"}`; only response or question is
            required.
        output: The output file.
        context: The settings of the runs.
        watcher: Is told of progress.

    Raises:
        ErrataError: As `make_batch` and `run_here` do.
    """
    from .batch.start import make_batch, run_here  # and with it LangGraph, which takes a second

    batch = make_batch(
        METHOD,
        source,
        output,
        context,
        called={"text": "response"},
        workers=context.max_concurrency,
        retry_failed=True,
        ordered=True,
    )
    return run_here(batch, context, watcher)


def checked(output: Path) -> Iterator[Mapping[str, Any]]:
    """The rows of an output; none if there is no such file yet."""
    if output.exists():
        yield from map(flat, read_records(output))


def averages(rows: Iterable[Mapping[str, Any]]) -> dict[str, Average]:
    """The averages of the checked rows of each group."""
    groups: dict[str, Sums] = {}
    for row in rows:
        groups.setdefault(group_of(row), Sums()).add(cast(RefCheckResult, row) if "claims" in row else None)
    return {name: sums.average() for name, sums in groups.items()}


def group_of(row: Mapping[str, Any]) -> str:
    """The group of a row of the output; empty if its input names none."""
    group = (row["row"] or {}).get("group")
    return "" if group is None else str(group)
