"""The web through Brave, with langchain-community's wrapper."""

import os
import re
from typing import Any, ClassVar

from pydantic import SecretStr

from ...state.errors import ConfigurationError
from .wrapper import CommunitySearch, answered, other_than_results

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
    def keys(cls) -> dict[str, Any]:
        """The key in BRAVE_SEARCH_API_KEY. Raises ConfigurationError if it is not set."""
        key = os.environ.get("BRAVE_SEARCH_API_KEY", "").strip()
        if not key:
            raise ConfigurationError(
                "Brave needs a key: get one at https://brave.com/search/api and set BRAVE_SEARCH_API_KEY"
            )
        return {"key": SecretStr(key)}

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
