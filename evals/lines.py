"""JSON Lines."""

import json
from collections.abc import Iterator
from typing import Any


def json_rows(text: str) -> list[Any]:
    """The rows of a JSON list, or of JSON lines. Raises ValueError for anything else."""
    return json.loads(text) if text.lstrip().startswith("[") else [row for _, row in json_lines(text)]


def json_lines(text: str) -> Iterator[tuple[int, Any]]:
    """Number, from 1, and value of each non-blank line; lazily, so that nobody has to read on.

    Only a line feed ends a line: U+2028, U+0085 and the like may occur in a JSON string, and
    `str.splitlines` would break it there.

    Raises:
        ValueError: For a line that is not JSON.
    """
    for number, line in enumerate(text.split("\n"), start=1):
        if line.strip():
            try:
                yield number, json.loads(line)
            except ValueError as error:
                raise ValueError(f"line {number} is not JSON: {getattr(error, 'msg', error)}") from None
