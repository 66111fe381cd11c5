"""Several searches as one, their results fused by reciprocal rank (Cormack, Clarke and Buettcher 2009, SIGIR)."""

import asyncio
from collections import defaultdict
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Self

from ...state import Evidence
from ...state.errors import ToolError
from ..pages import whole_pages
from ..search import SearchTool

if TYPE_CHECKING:
    from ...state import Context

DAMPING = 60
"""The constant k (section 2 of the paper)."""


class FusedSearch(SearchTool):
    """Finds what several searches find. What more of them find, and find first, stands first.

    If some fail, the others count, unless they find nothing.
    """

    name: str = "fused"
    description: str = "Search in several places at once."

    parts: list[SearchTool]
    context: Any
    """The settings of the run: the pages behind snippets are read, too."""

    @classmethod
    def of(cls, parts: Sequence[SearchTool], context: "Context") -> Self:
        """Make a search from several."""
        return cls(parts=list(parts), context=context, timeout=context.timeout)

    def settings(self) -> dict[str, Any]:
        """The searches and their settings."""
        return {"parts": [[part.name, part.settings()] for part in self.parts]}

    async def _find(self, query: str, limit: int) -> list[Evidence]:
        found = await asyncio.gather(*(self._by(part, query, limit) for part in self.parts), return_exceptions=True)
        lists = [results for results in found if isinstance(results, list)]
        failed = [error for error in found if isinstance(error, BaseException)]
        if others := [error for error in failed if not isinstance(error, ToolError)]:
            raise others[0]
        if failed and not any(lists):
            raise failed[0]
        return fused(lists)

    async def _by(self, part: SearchTool, query: str, limit: int) -> list[Evidence]:
        results = await part.search(query, limit)
        return results if part.whole_pages else await whole_pages(results, self.context)


def fused(lists: Sequence[Sequence[Evidence]]) -> list[Evidence]:
    """The results of several searches, best first, each page once; the score is the sum of the reciprocal ranks."""
    pages: dict[str, Evidence] = {}
    scores: defaultdict[str, float] = defaultdict(float)
    for results in lists:
        for rank, page in enumerate(results, start=1):
            key = page["source"] or page["id"]
            pages.setdefault(key, page)
            scores[key] += 1 / (DAMPING + rank)
    return [{**pages[key], "score": score} for key, score in sorted(scores.items(), key=lambda item: -item[1])]
