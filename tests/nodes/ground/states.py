"""Passages with their evidence, as the steps of ground find them."""

from typing import Any

from errata.tools import evidence

from ..states import state

TEXT = "The Sora Bridge was opened in 1931. The Sora Bridge is made of granite."
RIGHT = TEXT.replace("1931", "1934")
PAGE = evidence(
    query="",
    text="The Sora Bridge was opened in 1934. It is made of granite.",
    title="Sora Bridge",
    source="reference 1",
)
YEAR = TEXT.index("1931")


def change(before: str, after: str, start: int, **fields: str) -> Any:
    """A change that stood."""
    known = {"evidence": PAGE["id"], "quote": "The Sora Bridge was opened in 1934.", "refused": ""}
    return {"before": before, "after": after, "start": start, **known, **fields}


def part(text: str = TEXT, **fields: Any) -> Any:
    known: dict[str, Any] = {
        "shown": [PAGE["id"]], "revised": None, "named": [], "changes": [], "labels": [], "tries": 0, "failed": "",
    }  # fmt: skip
    return {"text": text, **known, **fields}


def grounding(*parts: Any, **fields: Any) -> Any:
    text = "".join(one["text"] for one in parts) if parts else TEXT
    known: dict[str, Any] = {
        "text": text, "references": [], "passages": [], "questions": [], "found": [], "parts": list(parts),
        "evidence": [PAGE], "cited": "",
    }  # fmt: skip
    return state(**(known | fields))
