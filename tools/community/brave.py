"""The web through Brave, with langchain-community's wrapper."""

import re
from typing import TYPE_CHECKING, Any, ClassVar

from pydantic import SecretStr

from ..searches.online import key_in
from .wrapper import CommunitySearch, answered, other_than_results

if TYPE_CHECKING:
    from ...state import Context

MOST_RESULTS = 20
"""The most results of one request."""
REFUSAL = "set BRAVE_SEARCH_API_KEY to a key that has searches left"
_STATUS = re.compile(r"HTTP error (\d{3})")


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
        from langchain_community.utilities.brave_search import BraveSearchWrapper

        parameters = {"count": min(limit, MOST_RESULTS), "text_decorations": "false"}
        wrapper = BraveSearchWrapper(api_key=self.key, search_kwargs=parameters)
        try:
            pages = wrapper.download_documents(query)
        except (AttributeError, TypeError, ValueError) as error:  # JSON of another shape, or none
            raise other_than_results(self.service) from error
        except Exception as error:
            if status := _STATUS.fullmatch(str(error)):  # the wrapper has no error class of its own for it
                raise answered(self.service, int(status[1]), REFUSAL) from error
            raise
        return [
            {"text": page.page_content, "title": page.metadata["title"] or "", "source": page.metadata["link"] or ""}
            for page in pages
        ]
