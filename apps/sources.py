"""A caller's sources: a folder, files, texts, documents, or something that searches."""

import os
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from langchain_core.documents import Document

from ..nodes.begin import references_of
from ..state.errors import ConfigurationError, absent
from ..state.methods.refcheck import Reference
from ..state.parts import Called, Invokable
from ..tools.searches.texts import TextSearch
from .settings import read_reference

Text = str | os.PathLike[str] | Document | Reference | Mapping[str, Any]
"""A text to compare with: a string, the path of a file, a LangChain document, or an object with a `text`."""
Sources = str | os.PathLike[str] | Document | Iterable[Text] | Called
"""The path of a folder or file, a list of texts, or a retriever, a search tool or a function that searches."""


class Given(NamedTuple):
    """Sources in the form that a graph takes."""

    references: list[str | Reference] | None
    """Texts to compare with; None if none were given, so that evidence is searched for."""
    settings: dict[str, Any]
    """The settings of a search."""


def read_sources(sources: Sources | None) -> Given:
    """Read sources. It reads files, so call it in a thread if an event loop is running.

    Raises:
        ConfigurationError: If there is no such folder or file, one cannot be read, or something is not a text.
    """
    if sources is None:
        return Given(None, {})
    if isinstance(sources, str | os.PathLike):
        return _at(Path(sources).expanduser())
    if isinstance(sources, Invokable | Callable):
        return Given(None, {"search": sources})
    if not isinstance(sources, Document | Iterable):
        raise ConfigurationError(
            f"sources is a {type(sources).__name__}: give a path, a list of texts, or a retriever or function"
        )
    texts = [sources] if isinstance(sources, Document | Mapping) else list(sources)
    records = [read_reference(Path(each)) if isinstance(each, os.PathLike) else each for each in texts]
    return Given(references_of({"references": records}), {})


def _at(path: Path) -> Given:
    if path.is_dir():
        return Given(None, {"sources": str(path)})
    if not path.exists():
        raise ConfigurationError(absent(path, "to give a text itself as `sources`, put it in a list", "file or folder"))
    return Given([read_reference(path)], {})


def search_in(references: Iterable[str | Reference]) -> TextSearch:
    """A search in texts, for methods that compare with what they find."""
    records: list[Reference] = [{"text": each} if isinstance(each, str) else each for each in references]
    return TextSearch.of(
        [
            {
                "title": each.get("title", ""),
                "source": each.get("source") or f"reference {number}",
                "text": each["text"],
            }
            for number, each in enumerate(records, 1)
        ]
    )
