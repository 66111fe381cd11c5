"""Searches by langchain-community: its retriever or wrapper for a service, asked in a thread, refusals told as such.

The wrappers block, have no time limit and send as many requests as they are called for. So each call has its own
thread, and a service gets one search at a time.
"""

import asyncio
import contextvars
import os
import re
import threading
from collections.abc import Callable
from contextlib import suppress
from functools import lru_cache
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar
from urllib.error import HTTPError

from pydantic import SecretStr
from tenacity import AsyncRetrying, retry_if_exception_type, stop_after_attempt

from ...state import Evidence
from ...state.runs.loops import shared
from ..extras import require
from ..http import BUSY, pause, refused
from ..search import SearchError, evidence
from .adapters import parts_of
from .online import OnlineSearch, key_in

if TYPE_CHECKING:
    from contextlib import AsyncExitStack

    from ...state import Context

T = TypeVar("T")
DELAY = 3.0
"""Seconds between requests to arXiv, as its terms of use require."""
_STATUS = re.compile(r"HTTP error (\d{3})")
_MARKUP = re.compile(r"</?(?:i|b|u|sub|sup)\b[^>]*>")
"""Tags inside a sentence, where PubMed's retriever would split it."""


class Busy(SearchError):
    """A refusal after which a retry may help."""


class CommunitySearch(OnlineSearch):
    """A search by a retriever or wrapper of langchain-community, which `_ask` makes and asks."""

    service: ClassVar[str]
    """The name of the service."""
    package: ClassVar[str] = ""
    """What the wrapper imports, in the extra that has the name of the search."""

    @classmethod
    def access(cls, context: "Context") -> dict[str, Any]:
        """Nothing but the package, if it needs one."""
        if cls.package:
            name = cls.model_fields["name"].default
            require(f"{name} search", name, cls.package)
        return {}

    def _ask(self, query: str, limit: int) -> Any:
        """The results of one search, in any form that a search may return. Blocks."""
        raise NotImplementedError

    async def _carry_out(self, query: str, limit: int) -> list[Evidence]:
        async with shared(type(self), _one_at_a_time) as turns, turns:  # the service's time starts after the queue
            return await super()._carry_out(query, limit)

    async def _find(self, query: str, limit: int) -> list[Evidence]:
        retry, stop = retry_if_exception_type(Busy), stop_after_attempt(self.retries + 1)
        tries = AsyncRetrying(retry=retry, stop=stop, wait=pause, reraise=True)
        results: list[dict[str, Any]] = await tries(in_thread, lambda: self._asked(query, limit))
        return [evidence(query=query, **{**result, "score": 1 / place}) for place, result in enumerate(results, 1)]

    def _asked(self, query: str, limit: int) -> list[dict[str, Any]]:
        try:
            return parts_of(self._ask(query, limit))
        except SearchError:
            raise
        except Exception as error:
            status = getattr(error, "code", None) or getattr(error, "status", None) or _STATUS.fullmatch(str(error))
            if isinstance(error, HTTPError):
                error.close()
            if status:
                number = status if isinstance(status, int) else int(status[1])
                refusal = refused(self.service, number)
                raise (Busy(str(refusal)) if number in BUSY else refusal) from error
            if isinstance(error, LookupError | AttributeError | TypeError | ValueError | SyntaxError):
                raise SearchError(f"{self.service} answered with something other than results: try later") from error
            if isinstance(error, OSError):  # the base class of the errors of requests and urllib
                reason = "cannot be reached: check the network, or try again later"
                raise SearchError(f"{self.service} {reason}") from error
            raise


class ArxivSearch(CommunitySearch):
    """Searches arXiv; each result carries the abstract of a paper."""

    name: str = "arxiv"
    description: str = "Search arXiv. Gives the abstracts of the papers that fit best."
    service: ClassVar[str] = "arXiv"
    package: ClassVar[str] = "arxiv"

    def _ask(self, query: str, limit: int) -> Any:
        import arxiv
        from langchain_community.retrievers.arxiv import ArxivRetriever

        client = _arxiv(self.timeout, self.retries)
        # The retriever calls `arxiv.Search(...).results()`, which current versions of that package do not have.
        retriever = ArxivRetriever.model_validate({"top_k_results": limit})
        retriever.arxiv_search = lambda *arguments, **options: SimpleNamespace(
            results=lambda: client.results(arxiv.Search(*arguments, **options))
        )
        words = " ".join(re.findall(r"\w+(?:\.\w+)*", query))  # without what arXiv reads as syntax
        papers = retriever.invoke(words)
        return [
            {
                "text": " ".join(paper.page_content.split()),
                "title": paper.metadata["Title"],
                "source": paper.metadata["Entry ID"],
            }
            for paper in papers
        ]


class PubMedSearch(CommunitySearch):
    """Searches PubMed; each result carries the abstract of an article."""

    name: str = "pubmed"
    description: str = "Search PubMed. Gives the abstracts of the medical articles that fit best."
    service: ClassVar[str] = "PubMed"
    package: ClassVar[str] = "xmltodict"

    def _ask(self, query: str, limit: int) -> Any:
        from langchain_community.retrievers.pubmed import PubMedRetriever

        # Its own retries report to standard output.
        settings = {"top_k_results": limit, "max_retry": 0, "api_key": os.environ.get("NCBI_API_KEY", "").strip()}
        retriever = PubMedRetriever.model_validate(settings)
        parse = retriever.parse
        retriever.parse = lambda xml: parse(_MARKUP.sub("", xml))
        articles = retriever.invoke(query[:300])
        home = "https://pubmed.ncbi.nlm.nih.gov"
        return [
            {
                "text": article.page_content,
                "title": _element(article.metadata["Title"]),
                "source": f"{home}/{article.metadata['uid']}/",
            }
            for article in articles
        ]


class BraveSearch(CommunitySearch):
    """Searches the web with Brave. Results are snippets, so the pages have to be fetched."""

    name: str = "brave"
    description: str = "Search the web. Gives links with snippets."
    whole_pages: ClassVar[bool] = False
    service: ClassVar[str] = "Brave"

    key: SecretStr

    @classmethod
    def access(cls, context: "Context") -> dict[str, Any]:
        """The key in BRAVE_SEARCH_API_KEY."""
        return {"key": key_in("BRAVE_SEARCH_API_KEY", "Brave", "https://brave.com/search/api")}

    def _ask(self, query: str, limit: int) -> Any:
        from langchain_community.utilities.brave_search import BraveSearchWrapper

        parameters = {"count": min(limit, 20), "text_decorations": "false"}
        return BraveSearchWrapper(api_key=self.key, search_kwargs=parameters).download_documents(query)


class DuckDuckGoSearch(CommunitySearch):
    """Searches the web with DuckDuckGo. Results are snippets, so the pages have to be fetched.

    Its client does not tell a refusal from an empty list, so no results are an error.
    """

    name: str = "duckduckgo"
    description: str = "Search the web. Gives links with snippets."
    whole_pages: ClassVar[bool] = False
    service: ClassVar[str] = "DuckDuckGo"
    package: ClassVar[str] = "ddgs"

    def _ask(self, query: str, limit: int) -> Any:
        from ddgs.exceptions import DDGSException
        from langchain_community.utilities.duckduckgo_search import DuckDuckGoSearchAPIWrapper

        # By default the wrapper searches only pages of the last year, and other engines too.
        wrapper = DuckDuckGoSearchAPIWrapper(time=None, backend="duckduckgo")
        try:
            return wrapper.results(query, limit)
        except DDGSException as error:
            raise Busy("DuckDuckGo gave no results, or refuses: try again later, or in other words") from error


@lru_cache(maxsize=8)
def _arxiv(timeout: float, retries: int) -> Any:
    """One client for all searches, so that it can keep the delay between them; an error page is no empty list."""
    import arxiv
    import requests

    class Session(requests.Session):
        def get(self, *given: Any, **named: Any) -> requests.Response:
            response = super().get(*given, timeout=timeout, **named)
            if response.ok and (b"<feed" not in response.content or b"arxiv.org/api/errors" in response.content):
                raise ValueError("no list of papers")
            return response

    client = arxiv.Client(delay_seconds=DELAY, num_retries=retries)
    client._session = Session()
    return client


def _element(value: Any) -> str:
    """The text of an element, which is a dict if the element has attributes."""
    return str((value.get("#text") if isinstance(value, dict) else value) or "")


async def in_thread(work: Callable[[], T]) -> T:
    """Run blocking work in a thread that neither occupies a pool nor keeps the program from exiting."""
    loop = asyncio.get_running_loop()
    future: asyncio.Future[T] = loop.create_future()

    def finish(settle: Callable[[Any], None], outcome: Any) -> None:
        if not future.done():  # otherwise nobody is waiting any more
            settle(outcome)

    def carry_out() -> None:
        settle: Callable[[Any], None] = future.set_result
        outcome: Any = None
        try:
            outcome = work()
        except Exception as error:
            settle, outcome = future.set_exception, error
        with suppress(RuntimeError):  # the loop has ended
            loop.call_soon_threadsafe(finish, settle, outcome)

    threading.Thread(target=contextvars.copy_context().run, args=(carry_out,), daemon=True).start()
    return await future


async def _one_at_a_time(stack: "AsyncExitStack") -> asyncio.Semaphore:
    return asyncio.Semaphore(1)
