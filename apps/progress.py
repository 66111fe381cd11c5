"""The progress of a run: a live line per step, or one line per step at the end if lines can't be redrawn."""

import time
from collections import Counter
from collections.abc import Iterator, Sequence
from types import TracebackType
from typing import Any

from rich.console import Console
from rich.live import Live
from rich.markup import escape
from rich.spinner import Spinner
from rich.table import Table
from rich.text import Text

from ..state.text.segments import counted

SAY_EVERY = 10.0
"""Seconds after which a line is printed for a long run if lines can't be redrawn."""
MOST_SKIPPED = 20
LONGEST_LINE = 70
MOST_WRITING = 600
"""How many characters of a text are shown while it is being written: the last ones."""
SHOWN = {
    "draft": "text", "ask": "question", "answer": "answer", "execute": "observation", "score": "observation",
    "correct": "text", "prompt": "text",
}  # fmt: skip
"""The steps for which one thing is shown, and which."""


def skipped(documents: Sequence[Any]) -> Iterator[str]:
    """A line for each document that a search could not read, or for the first of many."""
    for document in documents[:MOST_SKIPPED]:
        yield f"skipped {document.path}: {document.reason}"
    if (more := len(documents) - MOST_SKIPPED) > 0:
        yield f"skipped {more:,} more"


class Progress:
    """Shows the steps of a run as they happen: redrawn in place on a terminal.

    Elsewhere each step has one line when the run ends, and a long run has one now and then.
    """

    def __init__(self, console: Console) -> None:
        self.console = console
        self.done: Counter[str] = Counter()
        self.lines: dict[str, str] = {}
        self.due: set[str] = set()
        """The steps whose line has changed since it was printed."""
        self.said = time.monotonic()
        self.writing = ""
        self.live = self._new_live()

    def __enter__(self) -> "Progress":
        if self.live:
            self.live.start()
            self._redraw()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, where: TracebackType | None
    ) -> None:
        self.pause()

    def pause(self) -> None:
        """Leave the terminal to something else, such as a question to the person."""
        if self.live:
            self.live.stop()
        for step in [step for step in self.lines if step in self.due]:
            self._print(step)

    def go_on(self) -> None:
        """Show the steps again after `pause`."""
        self.live = self._new_live()  # a new one: the old one would overwrite what was printed meanwhile
        if self.live:
            self.live.start()

    @property
    def is_live(self) -> bool:
        """Whether it is redrawn in place, so that a text can be watched as it is written."""
        return self.live is not None

    def read(self, piece: str) -> None:
        """Handle a piece of a text that a model is writing."""
        self.writing = (self.writing + piece)[-MOST_WRITING:]
        self._redraw()

    def saw(self, event: dict[str, Any]) -> None:
        """Handle one event of the graph's stream in mode `custom`."""
        self.writing = ""
        step = event.get("step", "")
        self.done[step] += 1
        if line := self._line(step, event):
            self.lines[step] = line
            if self.live:
                self._redraw()
                return
            self.due.add(step)
            if time.monotonic() - self.said >= SAY_EVERY:
                self._print(step)

    def skipped(self, documents: Sequence[Any]) -> None:
        """Name the documents that a search could not read, or the first of many."""
        for line in skipped(documents):
            self.console.print(Text(line, style="yellow"), soft_wrap=True)

    def _print(self, step: str) -> None:
        self.due.discard(step)
        self.said = time.monotonic()
        self.console.print(f"[dim]{step}[/dim] {self.lines[step]}", highlight=False, soft_wrap=True)

    def _new_live(self) -> Live | None:
        redrawn = self.console.is_terminal and not self.console.is_dumb_terminal
        return Live(console=self.console, transient=True, refresh_per_second=10) if redrawn else None

    def _line(self, step: str, event: dict[str, Any]) -> str:
        """What a step has done; empty if there is nothing to say."""
        if step in SHOWN:
            return _short(event[SHOWN[step]])
        match step:
            case "sample":
                return f"{len(event['paths'])} with a consistency of {event['consistency']:.3g}"
            case "split":
                self.done["asked"] = len(event["sentences"])
                return f"{len(event['sentences'])} sentences to verify"
            case "tell":
                return f"{event['sentence']['label']}: {_short(event['sentence']['after'])}"
            case "questions":
                self.done["asked"] = len(event["questions"])
                return f"{len(event['questions'])} to ask"
            case "research" | "consolidate" if event["failed"]:
                return f"[red]{_short(event['failed'])}[/red]"
            case "research":
                of = f" of {self.done['asked']}" if self.done["asked"] else ""
                return f"{self.done['research']}{of}: {_short(event['question'])}"
            case "gate":
                verdict = event["verdict"]
                return f"{self.done['gate']} asked, {verdict['label']}: {_short(verdict['question'])}"
            case "fuse":
                return f"over {counted(event['pairs'], 'piece')} of evidence: {_short(event['text'])}"
            case "edit":
                edit = event["edit"]
                if not edit["before"] and not edit["after"]:
                    return _short(edit["reason"].partition("\n")[0])
                refused = "" if edit["applied"] else " (refused)"
                return f"{_short(edit['before'])} → {_short(edit['after'])}{refused}"
            case "extract":
                return counted(len(event["claims"]), "claim")
            case "references":
                return f"{counted(event['passages'], 'passage')}, {counted(event['checks'], 'check')}"
            case "check":
                labels = Counter(verdict["label"] for verdict in event["verdicts"])
                return f"{self.done['check']}: {', '.join(f'{number} {label}' for label, number in labels.items())}"
            case "critique" | "utility":
                return _short(event["verdict"]["reason"])
            case "tools":
                return f"{event['tool']} {_short(event['argument'])} → {_short(event['said'])}"
            case "policy":
                return f"{event['action']}: {_short(event['reason'])}"
            case "consolidate":
                return f"{len(event['evidence'])} found for {_short('; '.join(event['queries']))}"
        return ""

    def _redraw(self) -> None:
        table = Table.grid(padding=(0, 1))
        table.add_column(no_wrap=True)
        table.add_column()
        for step, line in self.lines.items():
            content = Text.from_markup(line, overflow="ellipsis")
            content.no_wrap = True
            table.add_row(f"[green]•[/green] {step}", content)
        if self.writing:
            table.add_row("", Text(self.writing, style="dim"))
        table.add_row(Spinner("line" if self.console.options.ascii_only else "dots", text="working"), "")
        if self.live:
            self.live.update(table)


def _short(text: str) -> str:
    """A text on one short line, in which nothing is markup."""
    line = " ".join(text.split())
    return escape(line if len(line) <= LONGEST_LINE else line[: LONGEST_LINE - 1] + "…")
