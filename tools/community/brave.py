"""The web through Brave."""

from typing import TYPE_CHECKING, Any, ClassVar

import httpx
from pydantic import SecretStr

from ..searches.online import key_in
from .wrapper import CommunitySearch, answered, other_than_results, unreachable

if TYPE_CHECKING:
    from ...state import Context

ADDRESS = "https://api.search.brave.com/res/v1/web/search"
MOST_RESULTS = 20
"""The most results of one request."""
REFUSAL = "set BRAVE_SEARCH_API_KEY to a key that has searches left"


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

    def _ask(self, query: str, limit: int) -> list[dict[str, Any]]:
        headers = {"X-Subscription-Token": self.key.get_secret_value(), "Accept": "application/json"}
        parameters: dict[str, str | int] = {"q": query, "count": min(limit, MOST_RESULTS)}
        parameters |= {"extra_snippets": True, "text_decorations": False}
        try:
            response = httpx.get(ADDRESS, params=parameters, headers=headers, timeout=self.timeout)
        except httpx.TransportError as error:
            raise unreachable(self.service) from error
        if not response.is_success:
            raise answered(self.service, response.status_code, REFUSAL)
        try:
            return [_result(page) for page in response.json().get("web", {}).get("results", [])]
        except (AttributeError, TypeError, ValueError) as error:  # JSON of another shape, or none
            raise other_than_results(self.service) from error


def _result(page: dict[str, Any]) -> dict[str, Any]:
    snippets = filter(None, [page.get("description"), *page.get("extra_snippets", [])])
    return {"text": " ".join(snippets), "title": page.get("title") or "", "source": page.get("url") or ""}
