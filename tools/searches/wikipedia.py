"""Wikipedia's articles, through the MediaWiki API."""

import asyncio
import os
import re
from typing import TYPE_CHECKING, Any

from ...state import Evidence
from ...state.errors import ConfigurationError
from ...state.text.segments import STOP_WORDS
from ..http import PoliteClient, contact_of, get_json, user_agent
from ..search import SearchError, evidence, one_line
from .online import OnlineSearch

if TYPE_CHECKING:
    import httpx

    from ...state import Context

MAX_QUERY = 300
"""In characters. Wikipedia refuses longer queries."""
AT_ONCE = 3
"""Requests in flight: Wikipedia asks its users to be modest."""
MOST_NAMES = 2
"""How many names in a query are looked up as titles."""
NEEDS_CONTACT = "it requires a contact; set `contact` to an e-mail or web address that reaches you"

_ALWAYS = {"action": "query", "format": "json", "formatversion": 2, "maxlag": 5}
_ABOUT = {"prop": "info|pageprops", "inprop": "url", "ppprop": "disambiguation"}
_WORD = r"[^\W\d_a-z][\w'’-]*"
_NAME = re.compile(
    rf"[\"“]([^\"”|#<>\[\]{{}}]{{2,80}})[\"”]|({_WORD}(?: (?:(?:of|the|de|da|di|du|van|von) ){{0,2}}{_WORD})*)"
)
_EXTRACT = {"prop": "extracts", "explaintext": 1, "exsectionformat": "plain", "exlimit": 1}


class WikipediaSearch(OnlineSearch):
    """Searches Wikipedia; each result carries the plain text of the article.

    The articles whose titles the query names come first. The API gives the text of one article at a time, so a search
    that finds n articles takes n requests, and one more for titles.
    """

    name: str = "wikipedia"
    description: str = "Search Wikipedia. Gives the text of the articles that fit best."

    contact: str
    language: str = "en"
    base_url: str = ""
    """The address of the API; empty for Wikipedia's own in `language`."""

    @classmethod
    def access(cls, context: "Context") -> dict[str, Any]:
        """A contact, for the operators of Wikipedia."""
        contact = contact_of(context.contact or os.environ.get("ERRATA_CONTACT"))
        if contact is None:
            raise ConfigurationError(
                "Wikipedia refuses programs that do not say who runs them: set `contact` or ERRATA_CONTACT to an "
                "e-mail or web address of yours"
            )
        return {"contact": contact}

    def settings(self) -> dict[str, Any]:
        """The address of the API."""
        return {"api": self._api}

    @property
    def _api(self) -> str:
        return self.base_url or f"https://{self.language}.wikipedia.org/w/api.php"

    async def _find(self, query: str, limit: int) -> list[Evidence]:
        headers = {"User-Agent": user_agent(self.contact)}
        async with PoliteClient(retries=self.retries, timeout=self.timeout, headers=headers) as client:
            searched, titled = await asyncio.gather(self._search(client, query, limit), self._titled(client, query))
            pages = list({page["pageid"]: page for page in [*titled, *searched]}.values())[:limit]
            turns = asyncio.Semaphore(AT_ONCE)
            texts = await asyncio.gather(*(self._text(client, page, turns) for page in pages))
        return [
            evidence(query=query, text=text, title=page["title"], source=page.get("fullurl", ""), score=1 / place)
            for place, (page, text) in enumerate(zip(pages, texts, strict=True), start=1)
            if text.strip()
        ]

    async def _search(self, client: "httpx.AsyncClient", query: str, limit: int) -> list[dict[str, Any]]:
        """Pages in the order of the search engine; one of them comes with its text."""
        search = {"generator": "search", "gsrsearch": query[:MAX_QUERY], "gsrlimit": limit, "gsrnamespace": 0}
        answer = await self._ask(client, {**_EXTRACT, **search, **_ABOUT, "prop": f"extracts|{_ABOUT['prop']}"})
        return sorted(_articles(answer), key=lambda page: page["index"])

    async def _titled(self, client: "httpx.AsyncClient", query: str) -> list[dict[str, Any]]:
        """The pages that the query names by their titles, in the order of the query."""
        names = _names(query)
        if not names:
            return []
        answer = await self._ask(client, {**_ABOUT, "titles": "|".join(names), "redirects": 1})
        asked = {each["to"]: each["from"] for each in answer.get("query", {}).get("redirects", [])}
        place = {name: number for number, name in enumerate(names)}
        return sorted(
            _articles(answer), key=lambda page: place.get(asked.get(page["title"], page["title"]), MOST_NAMES)
        )

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


def _articles(answer: dict[str, Any]) -> list[dict[str, Any]]:
    """The pages of an answer that exist, without those that only list meanings of a title."""
    pages = answer.get("query", {}).get("pages", [])
    return [page for page in pages if "pageid" in page and "disambiguation" not in page.get("pageprops", {})]


def _names(query: str) -> list[str]:
    """The first names in a query: quoted titles, and capitalised words without those that begin a question."""
    names: list[str] = []
    for quoted, name in _NAME.findall(query):
        words = quoted.split() or re.sub(r"['’]s?$", "", name).split()
        while not quoted and words and words[0].lower() in STOP_WORDS:
            words = words[1:]
        names.append(" ".join(words))
    return list(dict.fromkeys(filter(None, names)))[:MOST_NAMES]
