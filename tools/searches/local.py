"""Search in a folder of the user's documents, or in the small bundled corpus. It needs no key and no network."""

from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from pydantic import PrivateAttr

from ...state import Evidence
from ...state.errors import ConfigurationError
from ...state.runs.cache import cache_folder
from ..reading.folder import Skipped
from ..reading.index import Hit
from ..reading.library import Library, library
from ..reading.workers import in_thread
from ..search import SearchError, SearchTool
from .texts import evidence_in

if TYPE_CHECKING:
    from ...state import Context

CORPUS = Path(__file__).parents[1] / "corpus"


class LocalSearch(SearchTool):
    """Finds the documents in a folder whose passages fit a query best (BM25).

    A result carries the matching passages of a document, at most about thirty sentences, in order.
    """

    name: str = "local"
    description: str = "Search the local documents. Gives passages of the documents that fit best."

    folder: Path = CORPUS
    _library: Library = PrivateAttr()

    def model_post_init(self, context: Any, /) -> None:
        """Read the folder's documents, or their extracts from the cache."""
        self._library = library(self.folder, cache_folder(), self.folder == CORPUS)
        self._library.refresh()

    @classmethod
    def of(cls, context: "Context") -> Self:
        """Make the search that a Context describes.

        Raises:
            ConfigurationError: If its folder has nothing to read.
        """
        folder = Path(context.sources).expanduser().absolute() if context.sources else CORPUS
        return cls(folder=folder, timeout=context.timeout)

    @property
    def skipped(self) -> list[Skipped]:
        """The documents of the folder that could not be read, with the reason."""
        return self._library.skipped

    def settings(self) -> dict[str, Any]:
        """The folder."""
        return {"folder": str(self.folder)}

    async def _find(self, query: str, limit: int) -> list[Evidence]:
        try:
            hits = await in_thread(self._hits, query, limit)
        except ConfigurationError as error:  # the folder was there when the run started
            raise SearchError(str(error)) from error
        return evidence_in(hits, query)

    def _hits(self, query: str, limit: int) -> list[Hit]:
        return self._library.search(query, limit)
