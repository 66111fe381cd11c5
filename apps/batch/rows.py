"""The rows of a batch: JSON Lines, each with the input of a graph and any other fields."""

import hashlib
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple, NoReturn

from pydantic import TypeAdapter, ValidationError

from ...state.errors import naming

LARGEST_ROW = 20_000_000
"""In bytes. A longer line is not a row that anybody wrote."""
DEEPEST = 500
"""How many levels a row may be nested. Python reads about twice as many, and then cannot always write them."""
QUOTED = 200
"""How many characters of a malformed line its record repeats."""
LONGEST_LIST = 60
"""How many characters of the names of its fields a message has."""
_BLOCK = 1 << 16
_SEPARATORS = re.compile("[,;\t]")
_COLUMN = re.compile(r"[^\W\d][\w -]{0,39}")
"""The name of a column of CSV, but no sentence, number or JSON."""


class Line(NamedTuple):
    """A non-blank line of a file."""

    number: int
    """From 1, counting blank lines."""
    offset: int
    """The number of bytes before it."""
    content: bytes


@dataclass(frozen=True)
class Row:
    """A row, or what is wrong with it."""

    line: int
    id: str | int | None
    """The row's field `id`, or otherwise the number of its line; None if nobody can tell whether it has one."""
    fields: dict[str, Any] | None
    """The row as given; None if it is not a JSON object."""
    given: dict[str, Any]
    """The fields that are the graph's input."""
    wrong: str = ""
    """Why it cannot be run; empty if it can."""


class Extent(NamedTuple):
    """How much of a file there is, and which file it is."""

    bytes: int
    sha256: str
    rows: int


class Schema:
    """The input of a graph.

    Attributes:
        declared: A TypedDict; a row's fields that it declares are checked.
        called: The rows' names of fields, if they differ. Rows may omit such a field but not leave it blank.
    """

    def __init__(self, declared: Any, called: Mapping[str, str] | None = None) -> None:
        self.declared, self.called = declared, called or {}
        self.fields = {self.called.get(name, name): name for name in declared.__annotations__}
        """The graph's name of each field, by that of the rows."""
        self._adapter: TypeAdapter[dict[str, Any]] = TypeAdapter(declared)

    def __reduce__(self) -> tuple[type["Schema"], tuple[Any, ...]]:
        return Schema, (
            self.declared,
            self.called,
        )  # the validator that pydantic builds cannot be sent to another process

    def check(self, fields: dict[str, Any], has: Sequence[str] = ()) -> str:
        """What is wrong with an input; empty if nothing is.

        Args:
            fields: The input.
            has: The names of all the row's fields.
        """
        if not fields:
            only = f"only {shortened(', '.join(has), LONGEST_LIST)} and " if has else ""
            return f"it has {only}none of the fields {', '.join(self.fields)}"
        words = {self.called.get(name, name): value for name, value in fields.items() if isinstance(value, str)}
        blank = [name for name, value in words.items() if not value.strip()]
        if blank and (len(blank) == len(words) or set(blank) & {*self.called.values()}):
            return f"`{blank[0]}` is empty"
        try:
            self._adapter.validate_python(fields, strict=True)
        except ValidationError as error:
            first = error.errors(include_url=False)[0]
            field, *deeper = map(str, first["loc"])
            place = ".".join([self.called.get(field, field), *deeper])
            return f"`{place}`: {first['msg'][:1].lower()}{first['msg'][1:]}"
        return ""


def lines(file: BinaryIO, start: int = 0) -> Iterator[Line]:
    """The lines of a file, one at a time. Of a line longer than LARGEST_ROW, only the beginning."""
    number, offset = start, file.tell()
    while content := file.readline(LARGEST_ROW + 1):
        number += 1
        size = len(content)
        while not content.endswith(b"\n") and size > LARGEST_ROW and (more := file.readline(_BLOCK)):
            size += len(more)
            if more.endswith(b"\n"):
                break
        if content.strip():
            yield Line(number, offset, content)
        offset += size


def parse(line: Line, schema: Schema) -> Row:
    """Parse one line. It never raises: the row says what is wrong."""
    try:
        fields = _object(line.content)
    except (ValueError, RecursionError) as error:
        other = _other_kind(line.content, schema) if line.number == 1 else ""
        return Row(line.number, None, None, {}, f"not a JSON object{other or f': {_said(error)}'}")
    own_id = fields.get("id")
    name = own_id if isinstance(own_id, str | int) and not isinstance(own_id, bool) else line.number
    graph_input = {field: fields[name] for name, field in schema.fields.items() if fields.get(name) is not None}
    return Row(line.number, name, fields, graph_input, schema.check(graph_input, list(fields)))


def torn(row: Row, line: Line) -> bool:
    """Whether it is a last line that is still being written: it may be a row when the file has grown."""
    return row.fields is None and not line.content.endswith(b"\n") and len(line.content) <= LARGEST_ROW


def quoted(content: bytes) -> str:
    """The beginning of an unreadable line, for its record."""
    return shortened(content[: 8 * QUOTED].decode("utf-8", "replace").strip(), QUOTED)


def shortened(text: str, most: int) -> str:
    """A text of at most so many characters, which ends in an ellipsis if there was more."""
    return text if len(text) <= most else text[: most - 1] + "…"


def extent(path: Path, most: int | None = None) -> Extent:
    """The size, hash and number of rows of a file, or of its first `most` bytes.

    Raises:
        ConfigurationError: If it cannot be read.
    """
    digest, size, rows, blank = hashlib.sha256(), 0, 0, True
    with naming(path), path.open("rb") as file:
        while block := file.read(_BLOCK if most is None else min(_BLOCK, most - size)):
            digest.update(block)
            size += len(block)
            *ended, last_line = block.split(b"\n")
            for piece in ended:
                rows += bool(piece.strip()) or not blank
                blank = True
            blank = blank and not last_line.strip()
    return Extent(size, digest.hexdigest(), rows + (not blank))


def _said(error: Exception) -> str:
    """What is wrong with a line. Python calls each of them `line 1`."""
    if not isinstance(error, json.JSONDecodeError):
        return str(error)
    return f"{error.msg.removesuffix(' at')} at character {error.pos + 1}"


def _other_kind(content: bytes, schema: Schema) -> str:
    """What a file is instead of JSON Lines, by its first line; empty if it looks like nothing known."""
    line = quoted(content).removeprefix("\ufeff")
    if line.startswith("["):
        return " but a JSON array: write one object a line"
    cells = [cell.strip(" \"'") for cell in _SEPARATORS.split(line)]
    is_header = all(map(_COLUMN.fullmatch, cells)) and (len(cells) > 1 or cells[0] in schema.fields)
    example = f'{{"{next(iter(schema.fields), "")}": "..."}}'
    return f" but what looks like CSV: write one object a line, as in {example}" if is_header else ""


def _object(content: bytes) -> dict[str, Any]:
    if len(content) > LARGEST_ROW:
        raise ValueError(f"it is longer than {LARGEST_ROW // 1_000_000} MB")
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise ValueError("it is not UTF-8") from None
    fields = json.loads(text, parse_constant=_no_number)
    if not isinstance(fields, dict):
        raise ValueError(f"it is a {type(fields).__name__}")
    if _depth(fields) > DEEPEST:
        raise ValueError(f"it is nested more than {DEEPEST} levels deep")
    return fields


def _depth(value: Any) -> int:
    """How many levels of lists and objects there are. It goes by levels, because it must not recurse."""
    depth, level = 0, [value]
    while level:
        depth += 1
        inner = (each for outer in level for each in (outer.values() if isinstance(outer, dict) else outer))
        level = [each for each in inner if isinstance(each, dict | list)]
    return depth


def _no_number(name: str) -> NoReturn:
    raise ValueError(f"{name} is not a JSON number")
