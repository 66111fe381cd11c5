"""Abstracts of papers on arXiv, through langchain-community's retriever."""

import re
from functools import lru_cache
from types import SimpleNamespace
from typing import Any, ClassVar

import requests

from .wrapper import CommunitySearch, answered, other_than_results

DELAY = 3.0
"""Seconds between requests, as arXiv's terms of use require."""


class ArxivSearch(CommunitySearch):
    """Searches arXiv; each result carries the abstract of a paper."""

    name: str = "arxiv"
    description: str = "Search arXiv. Gives the abstracts of the papers that fit best."
    service: ClassVar[str] = "arXiv"
    package: ClassVar[str] = "arxiv"

    def _ask(self, query: str, limit: int) -> list[dict[str, Any]]:
        import arxiv
        from langchain_community.retrievers.arxiv import ArxivRetriever

        client = _client(self.timeout, self.retries)
        # The retriever calls `arxiv.Search(...).results()`, which current versions of that package do not have.
        retriever = ArxivRetriever.model_validate({"top_k_results": limit})
        retriever.arxiv_search = lambda *arguments, **options: SimpleNamespace(
            results=lambda: client.results(arxiv.Search(*arguments, **options))
        )
        try:
            papers = retriever.invoke(_words(query))
        except arxiv.HTTPError as error:
            raise answered(self.service, error.status) from error
        return [
            {
                "text": " ".join(paper.page_content.split()),
                "title": paper.metadata.get("Title", ""),
                "source": paper.metadata.get("Entry ID", ""),
            }
            for paper in papers
        ]


class _Session(requests.Session):
    """A session with a time limit that accepts only a list of papers: an error page would look like an empty list."""

    def __init__(self, timeout: float) -> None:
        super().__init__()
        self._timeout = timeout

    def get(self, *given: Any, **named: Any) -> requests.Response:
        response = super().get(*given, timeout=self._timeout, **named)
        if response.ok and (b"<feed" not in response.content or b"arxiv.org/api/errors" in response.content):
            raise other_than_results(ArxivSearch.service)
        return response


@lru_cache(maxsize=8)
def _client(timeout: float, retries: int) -> Any:
    """One client for all searches, so that it can keep the delay between them."""
    import arxiv

    client = arxiv.Client(delay_seconds=DELAY, num_retries=retries)
    client._session = _Session(timeout)
    return client


def _words(query: str) -> str:
    """The query without the characters that arXiv reads as syntax."""
    return " ".join(re.findall(r"\w+(?:\.\w+)*", query))
