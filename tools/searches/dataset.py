"""The paragraphs that come with a question in data sets of reading comprehension."""

import hashlib
from typing import Any

from ...state import Evidence
from ...state.errors import ConfigurationError
from ..search import SearchTool, evidence


class DatasetSearch(SearchTool):
    """Finds all paragraphs, in their order. Which part of them fits a query is up to a ranker."""

    name: str = "dataset"
    description: str = "Search the paragraphs that come with the question."

    paragraphs: tuple[str, ...] = ()

    def settings(self) -> dict[str, Any]:
        """A hash of the paragraphs."""
        return {"paragraphs": hashlib.sha256("\0".join(self.paragraphs).encode("utf-8", "replace")).hexdigest()}

    async def _find(self, query: str, limit: int) -> list[Evidence]:
        if not self.paragraphs:
            raise ConfigurationError(
                "the `dataset` search needs paragraphs, which only `verify_and_edit` takes: choose another search"
            )
        return [
            evidence(query=query, text=text, source=f"paragraph:{number}")
            for number, text in enumerate(self.paragraphs[:limit], start=1)
        ]
