"""Many responses from one file: rows in, rows out, as many at once as the settings allow, and never all in memory."""

import asyncio
import json
import sys
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..graphs import load
from ..state import Context
from ..state.errors import ConfigurationError, ErrataError
from ..state.refcheck import RefCheckResult
from .macro import Average, Sums
from .progress import Progress
from .terminal import exact

Emit = Callable[[dict[str, Any]], None]
TOLD_EVERY = 50
"""Rows between two lines of progress where they are not redrawn."""


@contextmanager
def opened(path: Path) -> Iterator[Iterable[bytes]]:
    """The lines of a file, read as they are needed; `-` is standard input. Raises ConfigurationError."""
    if str(path) == "-":
        yield sys.stdin.buffer
        return
    try:
        lines = path.open("rb")
    except OSError as error:
        raise ConfigurationError(f"--input {path}: {error.strerror or error}") from None
    with lines:
        yield lines


@contextmanager
def write_rows(path: Path | None) -> Iterator[Emit]:
    """What writes a row of output, each as soon as it is there. Raises ConfigurationError if it cannot begin to.

    The writer raises ErrataError where there is no room any more.
    """
    try:
        out = path.open("w", encoding="utf-8", newline="\n") if path else nullcontext(sys.stdout)
    except OSError as error:
        raise ConfigurationError(f"--output {path}: {error.strerror or error}") from None
    with out as file:

        def emit(row: dict[str, Any]) -> None:
            try:
                file.write(exact(row) + "\n")
                file.flush()
            except OSError as error:
                raise ErrataError(
                    f"--output {path}: {error.strerror or error}; what was checked before is there"
                ) from None

        yield emit


@dataclass(frozen=True)
class Row:
    """One line of the input."""

    line: int
    id: str
    group: str
    graph_input: dict[str, Any]
    problem: str = ""
    """Why there is nothing to check in it."""


async def check_all(lines: Iterable[bytes], context: Context, emit: Emit, progress: Progress) -> dict[str, Average]:
    """Check every row, in the order of the input, and return what each group comes to.

    lines
        JSON objects `{"id", "response", "question", "references", "group"}`, all but response or question optional.
    emit
        is given a row of output for each: its line number, id and group with the result, or with an `error`.
    """
    graph = load("refchecker")
    groups: dict[str, Sums] = {}
    under_way: deque[tuple[Row, asyncio.Task[RefCheckResult | str]]] = deque()
    done = errors = 0

    async def take() -> None:
        nonlocal done, errors
        row, running = under_way.popleft()
        outcome = await running
        result = None if isinstance(outcome, str) else outcome
        told = {"error": outcome} if isinstance(outcome, str) else dict(outcome)
        emit({"line": row.line, "id": row.id, "group": row.group, **told})
        groups.setdefault(row.group, Sums()).add(result)
        problem = outcome if isinstance(outcome, str) else outcome["reason"] if outcome["stopped"] == "error" else ""
        done, errors = done + 1, errors + bool(problem)
        if problem:
            progress.complain(f"line {row.line}: {problem}")
        if progress.live or done % TOLD_EVERY == 0:
            progress.saw({"step": "responses", "done": done, "errors": errors})

    try:
        for number, line in enumerate(lines, start=1):
            if line.strip():
                row = read_row(number, line)
                under_way.append((row, asyncio.create_task(_outcome(graph, row, context))))
            if len(under_way) >= context.max_concurrency:
                await take()
        while under_way:
            await take()
    finally:
        for _, running in under_way:
            running.cancel()
    return {name: sums.average() for name, sums in groups.items()}


def read_row(number: int, line: bytes) -> Row:
    """One line as a row, with what is wrong with it if it cannot be checked."""
    try:
        found = json.loads(line.decode("utf-8-sig"))
    except (ValueError, RecursionError):
        return Row(number, str(number), "", {}, "not JSON")
    if not isinstance(found, dict):
        return Row(number, str(number), "", {}, "not a JSON object")
    problem = _problem(found)
    graph_input = {
        "text": found.get("response") or "",
        "question": found.get("question") or "",
        "references": found.get("references") or [],
    }
    group = found.get("group")
    return Row(
        number,
        str(found.get("id", number)),
        "" if group is None else str(group),
        {} if problem else graph_input,
        problem,
    )


def _problem(found: dict[str, Any]) -> str:
    for name in ("response", "question"):
        if not isinstance(found.get(name) or "", str):
            return f"`{name}` is to be a string"
    if not any((found.get(name) or "").strip() for name in ("response", "question")):
        return "there is no `response`, and no `question` to draft one for"
    references = found.get("references") or []
    if not isinstance(references, list):
        return "`references` is to be a list of strings"
    for reference in references:
        text = reference.get("text") if isinstance(reference, dict) else reference
        if not isinstance(text, str):
            return "a reference is to be a string, or an object with a `text`"
    return ""


async def _outcome(graph: Any, row: Row, context: Context) -> RefCheckResult | str:
    """The result, or why there is none. Whatever happens to one row, the others go on."""
    if row.problem:
        return row.problem
    try:
        result: RefCheckResult = await graph.ainvoke(row.graph_input, context=context)
    except ErrataError as error:
        return str(error)
    except Exception as error:
        return " ".join(f"{type(error).__name__}: {error}".split())[:300]
    return result
