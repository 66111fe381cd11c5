"""Progress of work that takes minutes: a bar on a terminal, otherwise a line now and then."""

import time
from collections.abc import Iterator
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
    shown = console(stderr=True)
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    said_last = TextColumn("{task.fields[said]}")
    now, words, whole, last = done, "", total, time.monotonic()
    drawn = Progress(
        *columns, TimeRemainingColumn(), said_last, console=shown, transient=True, disable=not shown.is_terminal
    )
    with drawn:
        task = drawn.add_task(name, total=total, completed=done, said="")

        def advance(*, to: int | None = None, total: int | None = None, said: str = "") -> None:
            nonlocal now, words, whole, last
            now, words, whole = now + 1 if to is None else to, said or words, total or whole
            drawn.update(task, completed=now, total=whole, said=words)
            if not shown.is_terminal and time.monotonic() - last >= BETWEEN:
                tell(Text(f"{name} {now}/{whole} {words}".rstrip()))
                last = time.monotonic()

        yield advance
