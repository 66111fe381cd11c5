"""Failures that langchain-community returns as results. They must never become evidence."""

import re
from collections.abc import Iterable, Iterator
from typing import Any

from ..search import SearchError, one_line

_FAILED = re.compile(r"(?:arxiv|pubmed) exception: .*|[A-Z]\w*(?:Error|Exception)\(.*\)", re.DOTALL | re.IGNORECASE)
_NOTHING = re.compile(
    r"no good (?:[\w ]+ )?result (?:was )?found|no (?:relevant )?results found(?: for .* on stack overflow)?\.?"
    r"|no abstract available",
    re.DOTALL | re.IGNORECASE,
)


def results_only(results: Iterable[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """The results of a search, without placeholders for "nothing found".

    Args:
        results: Results with a `text` each.

    Raises:
        SearchError: If one of them is the text of an exception.
    """
    for result in results:
        text = result["text"].strip()
        if _FAILED.fullmatch(text):
            raise SearchError(f"the search failed: {one_line(text, 300)}")
        if text and not _NOTHING.fullmatch(text):
            yield result
