"""Documents that come with a request: read like those of a folder, and kept in memory for one run only."""

from collections.abc import Sequence
from pathlib import PurePosixPath
from typing import Any, NamedTuple

from ...state.errors import ConfigurationError
from ..search import MAX_TITLE, clean, one_line
from ..searches.texts import TextSearch
from .documents import ENDINGS, Unreadable, is_harmless
from .library import Extract, extracted
from .workers import calls

SECONDS = 30.0
"""Seconds of processor time per document: somebody is waiting for it."""


class Upload(NamedTuple):
    """A file that somebody sent."""

    name: str
    """Its name according to the client, which is shown and never opened."""
    data: bytes


class Sent(NamedTuple):
    """A document that was read."""

    name: str
    title: str
    text: str
    extract: Extract


def read_uploads(uploads: Sequence[Upload]) -> list[Sent]:
    """Read uploaded files in worker processes.

    Raises:
        ConfigurationError: For the first file that can't be read; the message names it and says why.
    """
    files = [(_plain(upload.name), upload.data) for upload in uploads]
    for name, _ in files:
        if _ending(name) not in ENDINGS:
            raise ConfigurationError(f"{name}: send a document that ends in {', '.join(ENDINGS)}")
    contents = ((data, _ending(name)) for name, data in files)
    return [
        _sent(name, reading)
        for (name, _), reading in zip(files, calls(extracted, contents, SECONDS, is_harmless), strict=True)
    ]


def search_in(documents: Sequence[Sent], timeout: float) -> TextSearch:
    """The search in uploaded documents, by the passages that the workers cut them into."""
    return TextSearch.of(
        [{"title": each.title, "source": each.name, "text": each.extract["text"]} for each in documents],
        [each.extract["chunks"] for each in documents],
        [each.extract["tokens"] for each in documents],
        timeout=timeout,
    )


def _plain(name: str) -> str:
    """The last part of a file name, on one line, without invisible characters."""
    return one_line(PurePosixPath(name.replace("\\", "/")).name, MAX_TITLE) or "a file without a name"


def _ending(name: str) -> str:
    return PurePosixPath(name).suffix.lower()


def _sent(name: str, reading: Any) -> Sent:
    try:
        extract: Extract = reading.result()
    except Unreadable as error:
        extract = {"reason": str(error)}
    if "reason" in extract:
        raise ConfigurationError(f"{name} can't be read: {extract['reason']}")
    title = extract["title"] or PurePosixPath(name).stem.replace("_", " ").replace("-", " ")
    return Sent(name, clean(title), clean(extract["text"]), extract)
