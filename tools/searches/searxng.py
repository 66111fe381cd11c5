"""The web through a SearXNG instance, which asks other search engines and returns links with snippets."""

import os
from typing import TYPE_CHECKING, Any, ClassVar

from ...state import Evidence
from ...state.errors import ConfigurationError
from ...state.runs.addresses import address_of
from ..http import PoliteClient, get_json, results_in, user_agent
from ..search import SearchError, evidence, one_line
from .online import OnlineSearch

if TYPE_CHECKING:
    from ...state import Context

NEEDS_JSON = "its operator must enable JSON, by adding `json` to `search.formats` in SearXNG's settings.yml"


class SearxngSearch(OnlineSearch):
    """Searches the web with SearXNG. Results are snippets, so the pages have to be fetched."""

    name: str = "searxng"
    description: str = "Search the web. Gives links with snippets."
    whole_pages: ClassVar[bool] = False

    url: str

    @classmethod
    def access(cls, context: "Context") -> dict[str, Any]:
        """The address of an instance."""
        url = context.searxng_url or os.environ.get("ERRATA_SEARXNG_URL")
        if not url:
            raise ConfigurationError("SearXNG needs an address: set `searxng_url` or ERRATA_SEARXNG_URL to an instance")
        return {"url": address_of(url, "the address of SearXNG")}

    def settings(self) -> dict[str, Any]:
        """The address of the server."""
        return {"url": self.url}

    async def _find(self, query: str, limit: int) -> list[Evidence]:
        headers = {"User-Agent": user_agent(), "Accept": "application/json"}
        client = PoliteClient(retries=self.retries, timeout=self.timeout, headers=headers, follow_redirects=True)
        async with client:
            answer = await get_json(client, f"{self.url}/search", {"q": query, "format": "json"}, "SearXNG", NEEDS_JSON)
        results = results_in(answer, "results", "SearXNG")
        silent = answer.get("unresponsive_engines", [])
        if not results and silent:
            engines = one_line(", ".join(" ".join(map(str, engine)) for engine in silent), 200)
            raise SearchError(f"none of SearXNG's engines answered ({engines}): try again later")
        return [
            evidence(
                query=query,
                text=result.get("content") or "",
                title=result.get("title") or "",
                source=result.get("url") or "",
                score=result.get("score") or 0.0,
            )
            for result in results[:limit]
        ]
