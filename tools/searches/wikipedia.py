"""Wikipedia's articles, through the MediaWiki API."""

import asyncio
import os
from typing import TYPE_CHECKING, Any, ClassVar

from ...state import Evidence
from ...state.errors import ConfigurationError
from ..http import PoliteClient, contact_of, get_json, user_agent
from ..search import SearchError, SearchTool, evidence, one_line

if TYPE_CHECKING:
    import httpx

    from ...state import Context

MAX_QUERY = 300
"""In characters. Wikipedia refuses longer queries."""
AT_ONCE = 3
"""Requests in flight: Wikipedia asks its users to be modest."""
NEEDS_CONTACT = "it requires a contact; set `contact` to an e-mail or web address that reaches you"

_ALWAYS = {"action": "query", "format": "json", "formatversion": 2, "maxlag": 5}
_EXTRACT = {"prop": "extracts", "explaintext": 1, "exsectionformat": "plain", "exlimit": 1}


class WikipediaSearch(SearchTool):
    """Searches Wikipedia; each result carries the plain text of the article.

    The API gives the text of one article at a time, so a search that finds n articles takes n requests.
    """

    name: str = "wikipedia"
    description: str = "Search Wikipedia. Gives the text of the articles that fit best."
    whole_pages: ClassVar[bool] = True

    contact: str
    language: str = "en"
    base_url: str = ""
    """The address of the API; empty for Wikipedia's own in `language`."""
    retries: int = 3

    @classmethod
    def of(cls, context: "Context") -> "WikipediaSearch":
        """Make the search that a Context describes.

        Raises:
            ConfigurationError: If no contact is set.
        """
        contact = contact_of(context.contact or os.environ.get("ERRATA_CONTACT"))
        if contact is None:
            raise ConfigurationError(
                "Wikipedia refuses programs that do not say who runs them: set `contact` or ERRATA_CONTACT to an "
                "e-mail or web address of yours"
            )
        return cls(contact=contact, retries=context.retries, timeout=context.timeout, keep=context.cache)

    def settings(self) -> dict[str, Any]:
        """The address of the API."""
        return {"api": self._api}

    @property
    def _api(self) -> str:
        return self.base_url or f"https://{self.language}.wikipedia.org/w/api.php"

    async def _find(self, query: str, limit: int) -> list[Evidence]:
        headers = {"User-Agent": user_agent(self.contact)}
        async with PoliteClient(retries=self.retries, timeout=self.timeout, headers=headers) as client:
            pages = await self._search(client, query, limit)
            turns = asyncio.Semaphore(AT_ONCE)
            texts = await asyncio.gather(*(self._text(client, page, turns) for page in pages))
        return [
            evidence(
                query=query, text=text, title=page["title"], source=page.get("fullurl", ""), score=1 / page["index"]
            )
            for page, text in zip(pages, texts, strict=True)
            if text.strip()
        ]

    async def _search(self, client: "httpx.AsyncClient", query: str, limit: int) -> list[dict[str, Any]]:
        """Pages in the order of the search engine; one of them comes with its text."""
        search = {"generator": "search", "gsrsearch": query[:MAX_QUERY], "gsrlimit": limit, "gsrnamespace": 0}
        about = {"prop": "extracts|info|pageprops", "inprop": "url", "ppprop": "disambiguation"}
        answer = await self._ask(client, {**_EXTRACT, **search, **about})
        pages = answer.get("query", {}).get("pages", [])
        found = [page for page in pages if "disambiguation" not in page.get("pageprops", {})]
        return sorted(found, key=lambda page: page["index"])

    async def _text(self, client: "httpx.AsyncClient", page: dict[str, Any], turns: asyncio.Semaphore) -> str:
        if "extract" in page:
            return str(page["extract"])
        async with turns:
            answer = await self._ask(client, {**_EXTRACT, "pageids": page["pageid"]})
        return "".join(str(page.get("extract", "")) for page in answer.get("query", {}).get("pages", []))

    async def _ask(self, client: "httpx.AsyncClient", params: dict[str, Any]) -> dict[str, Any]:
        answer = await get_json(client, self._api, {**_ALWAYS, **params}, "Wikipedia", NEEDS_CONTACT)
        if "error" in answer:
            info = one_line(str(answer["error"].get("info", "")), 200)
            raise SearchError(f"Wikipedia could not search ({info}): try again later")
        return answer
