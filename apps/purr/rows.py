"""Rows of a training set: a corrupted statement, the clean one, and the evidence that distinguishes them."""

import json
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing, contextmanager
from hashlib import sha256
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter, ValidationError
from typing_extensions import TypedDict

from ...models.tasks.correction import Pair
from ...state.errors import ConfigurationError, naming
from ...state.parts.refusing import plainly
from ..batch.journal import check_settings
from ..batch.output import Appended, check_output, disk_error
from ..files import write_whole


class Piece(TypedDict):
    """One piece of evidence of a row."""

    query: str
    """The question about the text for which it ranks best."""
    title: str
    text: str
    source: str
    positive: bool
    """Whether it scored high enough to be summarised (E+), or is there to be ignored (E-)."""


class Corrupted(TypedDict):
    """One change of the clean statement. Replacing `after` with `before`, from last to first, restores it."""

    kind: str
    before: str
    after: str
    start: int
    """The character offset of `after` in the corrupted text."""


class Row(TypedDict):
    """One training pair: (text, evidence) to clean."""

    id: str
    """A content hash of the seed question and the seed."""
    question: str
    """The seed question that the evidence was searched with."""
    text: str
    clean: str
    corruptions: list[Corrupted]
    """Empty for a clean pair, whose text is the clean statement itself."""
    source: str
    """The source of the best piece of evidence."""
    evidence: list[Piece]
    queries: list[str]
    """The questions that the backend of `queries` asks about the text, for the question generator to learn."""


_ROW = TypeAdapter(Row)
_BEGINNING = b'{"id": "'
"""The format of every row that is written here."""


def is_held_out(source: str) -> bool:
    """Whether a page is held out: every fifth one, by a hash of its address, whatever else is there."""
    return int(sha256(source.encode()).hexdigest(), 16) % 5 == 0


def pairs(row: Row) -> list[Pair]:
    """The evidence of a row as input for the task `edit_all`."""
    return [{"query": each["query"], "title": each["title"], "evidence": each["text"]} for each in row["evidence"]]


def read_rows(path: Path, limit: int | None = None) -> list[Row]:
    """The rows of a file.

    Raises:
        ConfigurationError: If there is no file, or if a line is not a row.
    """
    with naming(path):
        content = path.read_bytes()
    lines = content.removesuffix(b"\n").split(b"\n") if content else []
    rows = list(_rows(path, lines[:limit]))
    if not rows:
        raise ConfigurationError(f"{path} holds no rows: make some with `errata purr corpus -o {path}`")
    return rows


def _rows(path: Path, lines: Iterable[bytes]) -> Iterator[Row]:
    for number, line in enumerate(lines, start=1):
        try:
            yield _ROW.validate_json(line)
        except ValidationError as error:
            first = error.errors(include_url=False)[0]
            place = f"`{'.'.join(map(str, first['loc']))}`: " if first["loc"] else ""
            raise ConfigurationError(
                f"{path}, line {number} is not a valid row, as `errata purr corpus` makes them: "
                f"{place}{plainly(first['msg'])}"
            ) from None


class Rows:
    """A growing file of rows. `FILE.recipe` beside it says how they are made, so that no others are added."""

    def __init__(self, path: Path, made: Mapping[str, Any]) -> None:
        """Look at what is there; nothing is written.

        Args:
            path: The file.
            made: How the rows are made, JSON-like.

        Raises:
            ConfigurationError: If the file is not ours, or if its rows were made in another way.
        """
        check_output(path)
        self.path, self.made = path, made
        self.recipe = path.with_name(path.name + ".recipe")
        with naming(path):
            content = path.read_bytes() if path.exists() else b""
        *lines, last = content.split(b"\n")
        is_complete = _is_row(last)
        rows = list(_rows(path, [*lines, last] if is_complete else lines))
        if last and not is_complete and not _torn(last):
            raise ConfigurationError(f"{path} holds something other than rows: name another file")
        if content:
            self._check_made()
        self.done = {row["id"] for row in rows}
        """The ids of the rows that it holds."""
        self._size = len(content) - (0 if is_complete else len(last))
        self._unended = is_complete

    @contextmanager
    def growing(self) -> Iterator[None]:
        """Keep the file open for adding rows. A last line that a kill cut short is removed first.

        Raises:
            DiskError: If the file cannot be written, or was taken away meanwhile.
        """
        with closing(Appended(self.path)) as self._file:
            self._file.cut(self._size)
            if self._unended:
                self._file.write(b"\n")
            if not self._size:
                self._note()
            yield
            self._file.sync()

    def add(self, row: Row) -> None:
        """Write a row immediately.

        Raises:
            DiskError: If it cannot be written; the rows written before are complete.
        """
        self._file.append(row)
        self.done.add(row["id"])

    def _note(self) -> None:
        try:
            write_whole(self.recipe, json.dumps(self.made))
        except OSError as error:
            raise disk_error(self.recipe, error) from None

    def _check_made(self) -> None:
        try:
            recipe_kept = json.loads(self.recipe.read_bytes())
        except (OSError, ValueError):
            recipe_kept = None
        if not isinstance(recipe_kept, dict):
            raise ConfigurationError(
                f"{self.path} exists, but no {self.recipe.name} says how it was made: name another"
            )
        check_settings(self.path, recipe_kept, self.made)


def _is_row(line: bytes) -> bool:
    try:
        _ROW.validate_json(line)
    except ValidationError:
        return False
    return True


def _torn(line: bytes) -> bool:
    """Whether a line is the beginning of one of our rows, and not something complete."""
    try:
        json.loads(line)
    except ValueError:
        return line.startswith(_BEGINNING) or _BEGINNING.startswith(line)
    return False
