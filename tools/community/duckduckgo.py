"""The web through DuckDuckGo, with langchain-community's wrapper of ddgs."""

from functools import lru_cache
from typing import Any, ClassVar

from ..search import SearchError, one_line
from .wrapper import CommunitySearch, answered, other_than_results, unreachable

ENGINE = "errata_duckduckgo"
TOO_MANY = 202
"""The status with which DuckDuckGo asks for fewer requests."""


class DuckDuckGoSearch(CommunitySearch):
    """Searches the web with DuckDuckGo. Results are snippets, so the pages have to be fetched."""

    name: str = "duckduckgo"
    description: str = "Search the web. Gives links with snippets."
    whole_pages: ClassVar[bool] = False
    service: ClassVar[str] = "DuckDuckGo"
    package: ClassVar[str] = "ddgs"

    def _ask(self, query: str, limit: int) -> list[dict[str, Any]]:
        from ddgs.exceptions import DDGSException
        from langchain_community.utilities.duckduckgo_search import DuckDuckGoSearchAPIWrapper

        _register()
        # By default the wrapper searches only pages of the last year, and other engines too.
        wrapper = DuckDuckGoSearchAPIWrapper(time=None, backend=ENGINE)
        try:
            results = wrapper.results(query, limit)
        except DDGSException as error:
            reason = error.args[0] if error.args else None
            if isinstance(reason, _Nothing):
                return []
            if isinstance(reason, SearchError):
                raise reason from error
            if isinstance(reason, DDGSException):  # raised by its HTTP client
                raise unreachable(self.service) from error
            # "No results found." is also what it says when it ran out of time.
            raise SearchError(f"DuckDuckGo gave no results ({one_line(str(error), 200)}): try again later") from error
        return [{"text": page["snippet"], "title": page["title"], "source": page["link"]} for page in results]


class _Nothing(Exception):
    """DuckDuckGo itself says that it found nothing."""


@lru_cache(maxsize=1)
def _register() -> None:
    """Add an engine to ddgs that tells a refusal from an empty list; its own engine does not."""
    from ddgs.engines import ENGINES
    from ddgs.engines.duckduckgo import Duckduckgo

    class Watched(Duckduckgo):
        name = ENGINE

        def request(self, *arguments: Any, **options: Any) -> str:
            response = self.http_client.request(*arguments, **options)
            if response.status_code != 200:
                raise answered("DuckDuckGo", 429 if response.status_code == TOO_MANY else response.status_code)
            return str(response.text)

        def extract_results(self, html_text: str) -> list[Any]:
            results = super().extract_results(html_text)
            if not self.post_extract_results(results):
                says_so = "no results" in " ".join(html_text.lower().split())
                raise _Nothing if results or says_so else other_than_results("DuckDuckGo")
            return results

    ENGINES["text"][ENGINE] = Watched
