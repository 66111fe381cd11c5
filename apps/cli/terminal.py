"""The command line's output. Everything that it says to people goes through here.

What is shown was written by a model, a page or a person, none of which is trusted: a character that a terminal would
obey (move, clear, set a title, turn the direction of text) is shown as a symbol, and JSON escapes it.
"""

import json
import logging
import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from typing import Any, TextIO, cast

from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment
from rich.table import Table
from rich.text import Text

from ...state.errors import ErrataError

READER_LEFT = 141
"""The exit code if the reader of a pipe left, as a shell gives it: 128 plus the number of the signal."""
NARROWEST, USUAL = 20, 80
"""In columns. A terminal that reports fewer than the first is assumed to have the second."""
ROOM_FOR_A_TABLE = 60
"""In columns. On narrower consoles, rows are listed."""

_ACTING = re.compile(
    "[\0-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff\U000e0000-\U000e007f]"
)
_ASCII = str.maketrans(
    {"✓": "+", "✗": "x", "○": "o", "•": "*", "→": "->", "…": "...", "·": "-", "–": "-", "“": '"', "”": '"'}
    | {"█": "#", "▓": "=", "░": "-"}
)
"""Our own marks, for terminals that can show nothing else."""


def console(*, stderr: bool = False, quiet: bool = False) -> Console:
    """A console for people, on standard output or standard error; a quiet one prints nothing."""
    new_console = _Console(stderr=stderr, quiet=quiet, highlight=False, emoji=False)
    if new_console.width < NARROWEST:
        new_console.width = USUAL
    return new_console


class _Console(Console):
    """Shows what a terminal would obey, and our own marks in ASCII if there is no alternative."""

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        for segment in super().render(renderable, options):
            yield segment if segment.control else Segment(self._shown(segment.text), segment.style)

    def _shown(self, text: str) -> str:
        printable = visible(text)
        return printable if is_utf(self.encoding) else printable.translate(_ASCII)


def visible(text: str) -> str:
    """The text with a symbol in place of each character that a terminal would obey. Its length stays the same."""
    return _ACTING.sub(_symbol, text)


def _symbol(match: re.Match[str]) -> str:
    code = ord(match.group())
    return chr(0x2400 + code) if code < 0x20 else "␡" if code == 0x7F else "\ufffd"


def exact(value: Any, indent: int | None = None) -> str:
    """JSON that a terminal can't obey and that any encoding can hold. Parsed again, it is the same value."""
    encoded = json.dumps(value, indent=indent, ensure_ascii=not is_utf(sys.stdout.encoding))
    return _ACTING.sub(lambda match: json.dumps(match.group())[1:-1], encoded)


def plain(text: str) -> str:
    """A text for standard output: exact, except for what a terminal would obey if it goes to one."""
    return visible(text) if sys.stdout.isatty() else text


def say(line: str) -> None:
    """Print on standard output, as it is."""
    print(line, flush=True)


def tell(line: Text) -> None:
    """Print a line beside the result, which has standard output to itself."""
    console(stderr=True).print(line, soft_wrap=True)


def is_utf(encoding: str | None) -> bool:
    """Whether an encoding is one of Unicode's, such as `utf-8`."""
    return (encoding or "").lower().startswith("utf")


def colourless(console: Console) -> bool:
    """Whether colours are unavailable, so that their meaning must be shown another way."""
    return console.color_system is None or console.no_color


def put(console: Console, content: Text | Table, indent: int = 0) -> None:
    """Print with an indent that wrapped lines keep. Without a terminal, text is neither wrapped nor padded."""
    for line in _lines(console, content, indent):
        depth = indent + len(line.plain) - len(line.plain.lstrip(" "))
        body = line[depth - indent :] if line.plain.strip() else Text()
        pieces = body.wrap(console, max(console.width - depth, NARROWEST)) if console.is_terminal else [body]
        for piece in pieces:
            piece.rstrip()
            console.print(Text(" " * depth if piece else "") + piece, soft_wrap=True)


def table(console: Console, columns: Iterable[str], rows: Iterable[Iterable[Text]]) -> Table | Text:
    """Rows under their columns' names; on a narrow console a list of them, their other cells below the first."""
    rows = list(rows)
    if not rows or console.width < ROOM_FOR_A_TABLE:
        return Text("\n").join(Text("\n  ").join(cell for cell in row if cell) for row in rows)
    new_table = Table(box=None, padding=(0, 2, 0, 0), header_style="dim")
    for column in columns:
        new_table.add_column(column)
    for row in rows:
        new_table.add_row(*row)
    return new_table


def _lines(console: Console, content: Text | Table, indent: int) -> Iterable[Text]:
    if isinstance(content, Text):
        return content.split("\n", allow_blank=True)
    room = console.options.update(width=max(console.width - indent, NARROWEST))
    lines = console.render_lines(content, room, pad=False)
    return [Text.assemble(*((part.text, part.style or "") for part in line)) for line in lines]


@contextmanager
def streams() -> Iterator[None]:
    """Open standard input, output and error as needed, whatever the program was started with.

    A closed stream is empty. Characters that an encoding can't hold are replaced. If standard output can't be written,
    this is an ErrataError, or SystemExit if the reader of a pipe has left; standard error is abandoned silently,
    because a run is worth more than its progress messages.
    """
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:  # in this order, so that each gets its own number
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: SIM115  it stays
    originals = sys.stdout, sys.stderr
    for stream in originals:
        with suppress(AttributeError):  # a stand-in of a notebook or a test
            cast(Any, stream).reconfigure(errors="replace")
    sys.stdout, sys.stderr = (
        cast(TextIO, _Stream(stream, on_error))
        for stream, on_error in zip(originals, (_cannot_print, _ignore), strict=True)
    )
    if logging.lastResort:  # what libraries say where nobody has set up logging, as of a crafted file
        logging.lastResort.setFormatter(_Visible())
    try:
        yield
    finally:
        sys.stdout, sys.stderr = originals


class _Visible(logging.Formatter):
    """Shows what a terminal would obey."""

    def format(self, record: logging.LogRecord) -> str:
        return visible(super().format(record))


class _Stream:
    """A standard stream that can fail. Further writes do what `lost` says."""

    def __init__(self, stream: TextIO, lost: Callable[[OSError], None]) -> None:
        self._stream = stream
        self._lost = lost
        self._failed: OSError | None = None

    def write(self, text: str) -> int:
        self._try(lambda: self._stream.write(text))
        return len(text)

    def flush(self) -> None:
        self._try(self._stream.flush)

    def _try(self, act: Callable[[], object]) -> None:
        if not self._failed:
            try:
                act()
            except OSError as error:
                self._failed = error
                # The rest of its buffer must go somewhere: Python flushes it once more at the end.
                with suppress(OSError), open(os.devnull, "wb") as nowhere:
                    os.dup2(nowhere.fileno(), self._stream.fileno())
        if self._failed:
            self._lost(self._failed)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


def _cannot_print(error: OSError) -> None:
    if isinstance(error, BrokenPipeError):
        sys.exit(READER_LEFT)
    raise ErrataError(f"standard output cannot be written: {error.strerror or error}") from None


def _ignore(error: OSError) -> None:
    pass
