"""Progress of work that takes minutes: a bar on a terminal, otherwise a line now and then."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Protocol

from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn
from rich.text import Text

from ..cli.terminal import console, tell

BETWEEN = 10.0
"""Seconds between two lines without a terminal."""


class Advance(Protocol):
    """What moves a bar."""

    def __call__(self, *, to: int | None = None, total: int | None = None, said: str = "") -> None:
        """Advance by one, or to a number; `said` is shown beside the bar."""


@contextmanager
def bar(name: str, total: int, done: int = 0) -> Iterator[Advance]:
    """Show the progress of the block, which calls the yielded function."""
    out = console(stderr=True)
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    said_last = TextColumn("{task.fields[said]}")
    count, words, size, last = done, "", total, time.monotonic()
    progress = Progress(
        *columns, TimeRemainingColumn(), said_last, console=out, transient=True, disable=not out.is_terminal
    )
    with progress:
        task = progress.add_task(name, total=total, completed=done, said="")

        def advance(*, to: int | None = None, total: int | None = None, said: str = "") -> None:
            nonlocal count, words, size, last
            count, words, size = count + 1 if to is None else to, said or words, total or size
            progress.update(task, completed=count, total=size, said=words)
            if not out.is_terminal and time.monotonic() - last >= BETWEEN:
                tell(Text(f"{name} {count}/{size} {words}".rstrip()))
                last = time.monotonic()

        yield advance


@contextmanager
def training_bar(steps: int) -> Iterator[Callable[[int, int, dict[str, float]], None]]:
    """Show the progress of training, which calls the yielded function with its step, all steps, and its losses."""
    with bar("steps", steps) as advance:

        def show(step: int, steps: int, figures: dict[str, float]) -> None:
            losses = " ".join(f"{name} {figures[name]:.4f}" for name in ("loss", "eval_loss") if name in figures)
            advance(to=step, said=losses)

        yield show
