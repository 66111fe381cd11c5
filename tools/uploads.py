"""Documents that come with a request: read like those of a folder, and kept in memory for one run only."""

import hashlib
from collections.abc import Sequence
from pathlib import PurePosixPath
from typing import Any, ClassVar, NamedTuple, Self

from pydantic import PrivateAttr

from ..state import Evidence
from ..state.errors import ConfigurationError
from .documents import ENDINGS, Unreadable, is_harmless
from .index import Index
from .library import Extract, extracted
from .search import MAX_TITLE, SearchTool, clean, evidence, one_line
from .workers import calls, in_thread

SECONDS = 30.0
"""Of computing for one document: somebody waits for it."""


class Upload(NamedTuple):
    """A file that somebody sent."""

    name: str
    """What they call it. It is shown and never opened."""
    data: bytes


class Sent(NamedTuple):
    """A document that was read."""

    name: str
    title: str
    text: str
    extract: Extract


def read_uploads(uploads: Sequence[Upload]) -> list[Sent]:
    """Read what was sent, in worker processes.

    Raises:
        ConfigurationError: For the first file that can't be read; the message names it and says why.
    """
    named = [(_plain(upload.name), upload.data) for upload in uploads]
    for name, _ in named:
        if _ending(name) not in ENDINGS:
            raise ConfigurationError(f"{name}: send a document that ends in {', '.join(ENDINGS)}")
    contents = ((data, _ending(name)) for name, data in named)
    return [
        _sent(name, reading)
        for (name, _), reading in zip(named, calls(extracted, contents, SECONDS, is_harmless), strict=True)
    ]


class UploadSearch(SearchTool):
    """Finds the documents among those sent whose passages fit a query best (BM25)."""

    name: str = "uploads"
    description: str = "Search the documents that were sent."
    whole_pages: ClassVar[bool] = True

    content: str
    """Hash of the documents."""
    _index: Index = PrivateAttr()

    @classmethod
    def of(cls, documents: Sequence[Sent], timeout: float) -> Self:
        """The search through some documents."""
        whole = "\0".join(text for each in documents for text in (each.name, each.text))
        made = cls(content=hashlib.sha256(whole.encode("utf-8", "replace")).hexdigest(), timeout=timeout)
        made._index = Index.build(
            [{"title": each.title, "source": each.name, "text": each.extract["text"]} for each in documents],
            [each.extract["chunks"] for each in documents],
            [each.extract["tokens"] for each in documents],
            [],
        )
        return made

    def settings(self) -> dict[str, Any]:
        return {"content": self.content}

    async def _find(self, query: str, limit: int) -> list[Evidence]:
        hits = await in_thread(self._index.search, query, limit)
        return [
            evidence(query=query, text=hit.text, title=hit.entry["title"], source=hit.entry["source"], score=hit.score)
            for hit in hits
        ]


def _plain(name: str) -> str:
    """The last part of a name, on one line, without what nobody sees."""
    return one_line(PurePosixPath(name.replace("\\", "/")).name, MAX_TITLE) or "a file without a name"


def _ending(name: str) -> str:
    return PurePosixPath(name).suffix.lower()


def _sent(name: str, reading: Any) -> Sent:
    try:
        found: Extract = reading.result()
    except Unreadable as error:
        found = {"reason": str(error)}
    if "reason" in found:
        raise ConfigurationError(f"{name} can't be read: {found['reason']}")
    title = found["title"] or PurePosixPath(name).stem.replace("_", " ").replace("-", " ")
    return Sent(name, clean(title), clean(found["text"]), found)
