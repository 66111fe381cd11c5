"""What is in a GGUF file, read from its head: llama.cpp itself says of a file that it can't load only that it can't."""

import mmap
import struct
from dataclasses import dataclass
from functools import lru_cache
from math import prod
from pathlib import Path
from typing import Any

from ...state.errors import ConfigurationError, naming

MAGIC = b"GGUF"
SCALARS = {0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "f", 7: "?", 10: "Q", 11: "q", 12: "d"}
"""The types of values, and how `struct` calls them."""
STRING, ARRAY = 8, 9
F16 = 2
"""Bytes of a number in the cache of what was read."""


@dataclass(frozen=True)
class Gguf:
    """A language model in a file.

    Attributes:
        name: As the file calls it.
        parameters: How many numbers its tensors hold.
        context: Tokens that it was trained to read.
        token_bytes: Memory that one token takes which it keeps in mind.
        size: Bytes of the file.
        chats: Whether it has a chat template. Base models have none.
    """

    name: str
    parameters: int
    context: int
    token_bytes: int
    size: int
    chats: bool


def read(path: Path) -> Gguf:
    """What is in a file.

    Raises:
        ConfigurationError: If it is no GGUF file of a language model, or one that is cut off.
    """
    with naming(path):
        stat = path.stat()
        return _read(path, stat.st_size, stat.st_mtime_ns)


@lru_cache(maxsize=32)
def _read(path: Path, size: int, _changed: int) -> Gguf:
    with path.open("rb") as file:
        if file.read(len(MAGIC)) != MAGIC:
            raise ConfigurationError(f"{path} is not a GGUF file, the format that llama.cpp reads")
        with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
            try:
                values, parameters, end = _Head(content).read()
            except (struct.error, IndexError, ValueError, OverflowError, MemoryError):
                raise ConfigurationError(f"{path} is cut off or damaged: fetch it again") from None
    if end > size:
        raise ConfigurationError(f"{path} is cut off: it should have more than {size:,} bytes; fetch it again")
    kind = values.get("general.architecture", "")
    try:
        context, blocks = int(values[f"{kind}.context_length"]), int(values[f"{kind}.block_count"])
        heads = int(values.get(f"{kind}.attention.head_count", 1))
        width = int(values[f"{kind}.embedding_length"]) // heads
        shared = int(values.get(f"{kind}.attention.head_count_kv", heads))
    except (KeyError, TypeError, ValueError, ZeroDivisionError):
        raise ConfigurationError(f"{path} is not a language model that writes: give a GGUF file of one") from None
    key_and_value = sum(int(values.get(f"{kind}.attention.{part}_length", width)) for part in ("key", "value"))
    name = str(values.get("general.name") or path.stem)
    token_bytes = blocks * shared * key_and_value * F16
    return Gguf(name, parameters, context, token_bytes, size, chats=bool(values.get("tokenizer.chat_template")))


class _Head:
    """Reads the head of a GGUF file from its first byte to its last. Whatever it can't read raises struct.error."""

    def __init__(self, content: mmap.mmap) -> None:
        self.content = content
        self.at = len(MAGIC)

    def read(self) -> tuple[dict[str, Any], int, int]:
        """The scalar values by name, the number of parameters, and a place that the file has to reach."""
        if self.scalar("I") < 2:
            raise ValueError("a version that nobody writes any more")
        tensors, pairs = self.scalar("Q"), self.scalar("Q")
        values = {}
        for _ in range(pairs):
            name = self.string()
            values[name] = self.value(self.scalar("I"))
        parameters, last = 0, 0
        for _ in range(tensors):
            self.string()
            parameters += prod(self.scalar("Q") for _ in range(self.scalar("I")))
            self.scalar("I")  # how its numbers are packed
            last = max(last, self.scalar("Q"))
        return values, parameters, self.at + last + 1

    def scalar(self, code: str) -> Any:
        (number,) = struct.unpack_from(f"<{code}", self.content, self.at)
        self.at += struct.calcsize(f"<{code}")
        return number

    def string(self) -> str:
        length = self.scalar("Q")
        self._skip(length)
        return self.content[self.at - length : self.at].decode(errors="replace")

    def value(self, kind: int) -> Any:
        """A scalar or a string; of an array its largest number, or None if it has none."""
        if kind in SCALARS:
            return self.scalar(SCALARS[kind])
        if kind == STRING:
            return self.string()
        if kind != ARRAY:
            raise ValueError(f"no type has the number {kind}")
        of, length = self.scalar("I"), self.scalar("Q")
        if of == STRING:
            self._skip_strings(length)
            return None
        code = f"{length}{SCALARS[of]}" if of in SCALARS else ""
        start = self.at
        self._skip(struct.calcsize(f"<{code}"))
        return max(struct.unpack_from(f"<{code}", self.content, start), default=None) if code else None

    def _skip_strings(self, count: int) -> None:
        """Go past the words of a model, of which there are some hundred thousand."""
        at, content, length = self.at, self.content, struct.Struct("<Q").unpack_from
        for _ in range(count):
            at += 8 + length(content, at)[0]
        self.at = at

    def _skip(self, length: int) -> None:
        self.at += length
        if self.at > len(self.content):
            raise struct.error("the file ends before")
