"""GGUF files as small as they can be: a head, and as many bytes after it as they should have."""

import struct
from pathlib import Path
from typing import Any

U32, STRING, ARRAY = 4, 8, 9
USUAL = {
    "general.architecture": "tiny",
    "general.name": "Tiny",
    "tiny.context_length": 32_768,
    "tiny.block_count": 28,
    "tiny.embedding_length": 1_536,
    "tiny.attention.head_count": 12,
    "tiny.attention.head_count_kv": 2,
    "tokenizer.ggml.tokens": ["a", "bc", "def"],
}


def gguf(path: Path, *, parameters: int = 1_500_000_000, size: int = 0, values: dict[str, Any] | None = None) -> Path:
    """Write one whose only tensor has so many numbers. Its content, which nobody reads, is a hole in the file."""
    pairs = values or USUAL
    head = b"GGUF" + struct.pack("<IQQ", 3, 1, len(pairs)) + b"".join(map(_pair, pairs.items()))
    head += _string("weight") + struct.pack("<IQQIQ", 2, parameters // 8, 8, 0, 0)
    with path.open("wb") as file:
        file.write(head)
        file.truncate(max(size, len(head) + 64))
    return path


def large(path: Path, parameters: int = 1_500_000_000) -> Path:
    """One that is as large as a model of so many parameters is, at least."""
    return gguf(path, parameters=parameters, size=parameters // 4)


def _string(text: str) -> bytes:
    return struct.pack("<Q", len(text.encode())) + text.encode()


def _pair(pair: tuple[str, Any]) -> bytes:
    name, value = pair
    return _string(name) + _value(value)


def _value(value: Any) -> bytes:
    if isinstance(value, str):
        return struct.pack("<I", STRING) + _string(value)
    if isinstance(value, list):
        kind, items = (STRING, map(_string, value)) if isinstance(value[0], str) else (U32, map(_number, value))
        return struct.pack("<IIQ", ARRAY, kind, len(value)) + b"".join(items)
    return struct.pack("<I", U32) + _number(value)


def _number(value: int) -> bytes:
    return struct.pack("<I", value)
