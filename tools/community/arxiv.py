"""Abstracts of papers on arXiv."""

import re
from functools import lru_cache
from typing import Any, ClassVar

import requests

from .wrapper import CommunitySearch, answered, other_than_results

DELAY = 3.0
"""Seconds between requests, as arXiv's terms of use require."""
MAX_QUERY = 300
_ID = r"(?:\d{2}(?:0[1-9]|1[0-2])\.\d{4,5}(?:v\d+)?|\d{7}\S*)"
_IDS = re.compile(rf"{_ID}(?: {_ID})*")
"""The numbers of papers, which arXiv takes apart from words."""


class ArxivSearch(CommunitySearch):
    """Searches arXiv; each result carries the abstract of a paper."""

    name: str = "arxiv"
    description: str = "Search arXiv. Gives the abstracts of the papers that fit best."
    service: ClassVar[str] = "arXiv"
    package: ClassVar[str] = "arxiv"

    def _ask(self, query: str, limit: int) -> list[dict[str, Any]]:
        import arxiv

        words = _words(query)
        sought: dict[str, Any] = {"id_list": words.split()} if _IDS.fullmatch(words) else {"query": words[:MAX_QUERY]}
        try:
            papers = list(_client(self.timeout, self.retries).results(arxiv.Search(**sought, max_results=limit)))
        except arxiv.HTTPError as error:
            raise answered(self.service, error.status) from error
        return [
            {"text": " ".join(paper.summary.split()), "title": paper.title, "source": paper.entry_id}
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
