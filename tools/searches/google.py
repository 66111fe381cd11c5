"""The web through Google, by serper.dev, which gives links with snippets.

LangChain's wrapper of the same service is not used: it takes a refusal (a wrong key, too many requests) for an answer
without results, and has no time limit.
"""

import os
from typing import TYPE_CHECKING, Any, ClassVar

from pydantic import SecretStr

from ...state import Evidence
from ...state.runs.addresses import address_of
from ..http import PoliteClient, get_json, results_in
from ..search import evidence
from .online import OnlineSearch, key_in

if TYPE_CHECKING:
    from ...state import Context

ADDRESS = "https://google.serper.dev"
MOST_RESULTS = 10
"""The number of results on one of Google's pages."""
WHO = "Google by serper.dev"
REFUSAL = "set SERPER_API_KEY to a key from https://serper.dev that has searches left"


class GoogleSearch(OnlineSearch):
    """Searches the web with Google. Results are snippets, so the pages have to be fetched."""

    name: str = "google"
    description: str = "Search the web. Gives links with snippets."
    whole_pages: ClassVar[bool] = False

    key: SecretStr
    base_url: str = ADDRESS

    @classmethod
    def access(cls, context: "Context") -> dict[str, Any]:
        """The key in SERPER_API_KEY, and the address."""
        key = key_in("SERPER_API_KEY", "Google", "https://serper.dev")
        return {"key": key, "base_url": address_of(os.environ.get("SERPER_BASE_URL") or ADDRESS, "SERPER_BASE_URL")}

    def settings(self) -> dict[str, Any]:
        """The address of the service."""
        return {"base_url": self.base_url}

    async def _find(self, query: str, limit: int) -> list[Evidence]:
        headers = {"X-API-KEY": self.key.get_secret_value(), "Accept": "application/json"}
        async with PoliteClient(retries=self.retries, timeout=self.timeout, headers=headers) as client:
            parameters = {"q": query, "num": min(limit, MOST_RESULTS)}
            answer = await get_json(client, f"{self.base_url}/search", parameters, WHO, REFUSAL, "POST")
        if "searchParameters" in answer or "answerBox" in answer:  # it is an answer, and may have no other results
            answer.setdefault("organic", [])
        results = [*_answer_box(answer), *results_in(answer, "organic", WHO)]
        return [
            evidence(
                query=query,
                text=result.get("snippet") or "",
                title=result.get("title") or "",
                source=result.get("link") or "",
                score=1 / place,
            )
            for place, result in enumerate(results[:limit], start=1)
        ]


def _answer_box(answer: dict[str, Any]) -> list[dict[str, Any]]:
    """What Google itself answers, as the first result; and the page that it is from, which may be read, as the next."""
    box = answer.get("answerBox")
    if not isinstance(box, dict):
        return []
    parts = dict.fromkeys(part for name in ("answer", "snippet") if isinstance(part := box.get(name), str) and part)
    result = {"snippet": ". ".join(parts), "title": box.get("title"), "link": box.get("link")}
    return [result] * (2 if result["link"] else 1) if parts else []
