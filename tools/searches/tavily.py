"""The web through Tavily, which returns the text of pages along with the links."""

import os
from typing import TYPE_CHECKING, Any

import httpx
from pydantic import SecretStr
from tavily import AsyncTavilyClient
from tavily.errors import ForbiddenError, InvalidAPIKeyError, UsageLimitExceededError
from tavily.errors import TimeoutError as TavilyTimeoutError

from ...state import Evidence
from ...state.runs.addresses import address_of
from ..http import PoliteClient
from ..search import SearchError, describe, evidence
from .online import OnlineSearch, key_in

if TYPE_CHECKING:
    from ...state import Context

ADDRESS = "https://api.tavily.com"
MOST_RESULTS = 20
"""The most results of one request."""


class TavilySearch(OnlineSearch):
    """Searches the web with Tavily. Each result carries the page's text, or a snippet if Tavily has no more."""

    name: str = "tavily"
    description: str = "Search the web. Gives the text of the pages that fit best."

    key: SecretStr
    base_url: str = ADDRESS

    @classmethod
    def access(cls, context: "Context") -> dict[str, Any]:
        """The key in TAVILY_API_KEY, and the address."""
        # Tavily's own client would continue without a key, at a rate that stops a run halfway.
        key = key_in("TAVILY_API_KEY", "Tavily", "https://app.tavily.com")
        return {"key": key, "base_url": address_of(os.environ.get("TAVILY_BASE_URL") or ADDRESS, "TAVILY_BASE_URL")}

    def settings(self) -> dict[str, Any]:
        """The address of the service."""
        return {"base_url": self.base_url}

    async def _find(self, query: str, limit: int) -> list[Evidence]:
        answer = await self._ask(query, min(limit, MOST_RESULTS))
        return [
            evidence(
                query=query,
                text=result.get("raw_content") or result.get("content") or "",
                title=result.get("title") or "",
                source=result.get("url") or "",
                score=result.get("score") or 0.0,
            )
            for result in answer["results"]
        ]

    async def _ask(self, query: str, limit: int) -> dict[str, Any]:
        async with PoliteClient(retries=self.retries, timeout=self.timeout, base_url=self.base_url) as client:
            tavily = AsyncTavilyClient(api_key=self.key.get_secret_value(), client=client)
            try:
                answer: dict[str, Any] = await tavily.search(
                    query, max_results=limit, include_raw_content="text", timeout=self.timeout
                )
                return answer
            except InvalidAPIKeyError as error:
                raise SearchError("Tavily refuses the key: set TAVILY_API_KEY to one from app.tavily.com") from error
            except UsageLimitExceededError as error:
                raise SearchError("Tavily asks for fewer requests (429): wait a while, or see your plan") from error
            except ForbiddenError as error:
                raise SearchError(f"Tavily refuses ({describe(error)}): see the limits of your plan") from error
            except (httpx.TransportError, TavilyTimeoutError) as error:
                raise SearchError(f"Tavily cannot be reached ({describe(error)}): check the network") from error
