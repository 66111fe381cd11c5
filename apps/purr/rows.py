"""Rows of a training set: a corrupted statement, the clean one, and the evidence that tells them apart."""

import json
from collections.abc import Iterator
from pathlib import Path

from pydantic import TypeAdapter, ValidationError
from typing_extensions import TypedDict

from ...state.errors import ConfigurationError


class Piece(TypedDict):
    """One piece of evidence of a row."""

    query: str
    title: str
    text: str
    source: str
    positive: bool
    """Whether it scored high enough to be summarised (E+), or is there to be ignored (E-)."""


class Corrupted(TypedDict):
    """One change of the clean statement. Putting `before` back for `after`, from last to first, restores it."""

    kind: str
    before: str
    after: str
    start: int
    """Character offset of `after` in the corrupted text."""


class Row(TypedDict):
    """One training pair: (text, evidence) to clean."""

    id: str
    """Content hash of the seed question and the seed."""
    question: str
    """The seed question that the evidence was searched with."""
    text: str
    clean: str
    corruptions: list[Corrupted]
    """Empty for a clean pair, whose text is the clean statement itself."""
    source: str
    """Where the best piece of evidence is from."""
    evidence: list[Piece]
    queries: list[str]
    """What the make of `queries` asks of the text, for the question generator to learn."""


_ROW = TypeAdapter(Row)


def restored(text: str, corruptions: list[Corrupted]) -> str:
    """The clean statement. Raises ValueError if a corruption is not where the record says."""
    for each in reversed(corruptions):
        start, end = each["start"], each["start"] + len(each["after"])
        if text[start:end] != each["after"]:
            raise ValueError(f"{each['after']!r} is not at {start}")
        text = text[:start] + each["before"] + text[end:]
    return text


def pairs(row: Row) -> list[dict[str, str]]:
    """The evidence of a row as the task `edit_all` takes it."""
    return [{"query": each["query"], "title": each["title"], "evidence": each["text"]} for each in row["evidence"]]


def read_rows(path: Path, limit: int | None = None) -> list[Row]:
    """The rows of a file. Raises ConfigurationError if there is none, or for a line that is no row."""
    rows = list(_rows(path, limit))
    if not rows:
        raise ConfigurationError(f"{path} holds no rows: make some with `errata purr corpus -o {path}`")
    return rows


def _rows(path: Path, limit: int | None) -> Iterator[Row]:
    try:
        lines = path.read_text("utf-8").splitlines()[:limit]
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigurationError(f"{path}: {getattr(error, 'strerror', '') or 'it is not UTF-8 text'}") from None
    for number, line in enumerate(lines, start=1):
        try:
            yield _ROW.validate_json(line)
        except ValidationError as error:
            first = error.errors(include_url=False)[0]
            place = ".".join(map(str, first["loc"]))
            raise ConfigurationError(f"{path}, line {number} is no row: {place} {first['msg']}".rstrip()) from None


class Rows:
    """A file of rows that grows. A last line that a kill cut short is taken away when the file is opened again.

    Raises ConfigurationError for a file that holds anything else.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.done: set[str] = set()
        """Ids of the rows that it holds."""
        if path.exists():
            self._mend()
            self.done = {row["id"] for row in _rows(path, None)}

    def add(self, row: Row) -> None:
        """Write a row down, at once."""
        with self.path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(row, ensure_ascii=False) + "\n")
        self.done.add(row["id"])

    def _mend(self) -> None:
        try:
            data = self.path.read_bytes()
        except OSError as error:
            raise ConfigurationError(f"{self.path}: {error.strerror}") from None
        whole = data[: data.rfind(b"\n") + 1]
        if data != whole:
            if not data[len(whole) :].startswith(b'{"id": '):
                raise ConfigurationError(f"{self.path} holds something else than rows: name another file")
            self.path.write_bytes(whole)
