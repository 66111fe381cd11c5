"""Abstracts of articles on PubMed, through langchain-community's retriever."""

import os
import re
from typing import TYPE_CHECKING, Any, ClassVar
from urllib.error import HTTPError

from pydantic import SecretStr

from .wrapper import CommunitySearch, answered, other_than_results

if TYPE_CHECKING:
    from ...state import Context

MAX_QUERY = 300
_MARKUP = re.compile(r"</?(?:i|b|u|sub|sup)\b[^>]*>")
"""Tags inside a sentence, where the retriever would split it."""


class PubMedSearch(CommunitySearch):
    """Searches PubMed; each result carries the abstract of an article."""

    name: str = "pubmed"
    description: str = "Search PubMed. Gives the abstracts of the medical articles that fit best."
    service: ClassVar[str] = "PubMed"
    package: ClassVar[str] = "xmltodict"

    key: SecretStr = SecretStr("")

    @classmethod
    def access(cls, context: "Context") -> dict[str, Any]:
        """The key in NCBI_API_KEY, or an empty one: PubMed works without."""
        return {**super().access(context), "key": SecretStr(os.environ.get("NCBI_API_KEY", "").strip())}

    def _ask(self, query: str, limit: int) -> list[dict[str, Any]]:
        from langchain_community.retrievers.pubmed import PubMedRetriever

        # Its own retries report to standard output.
        settings = {"top_k_results": limit, "max_retry": 0, "api_key": self.key.get_secret_value()}
        retriever = PubMedRetriever.model_validate(settings)
        parse = retriever.parse
        retriever.parse = lambda xml: parse(_MARKUP.sub("", xml))
        try:
            articles = retriever.invoke(query[:MAX_QUERY])
        except HTTPError as error:
            error.close()
            raise answered(self.service, error.code) from error
        except (LookupError, AttributeError, TypeError, ValueError, SyntaxError) as error:
            raise other_than_results(self.service) from error
        return [
            {
                "text": article.page_content,
                "title": _text(article.metadata["Title"]),
                "source": f"https://pubmed.ncbi.nlm.nih.gov/{article.metadata['uid']}/",
            }
            for article in articles
        ]


def _text(value: Any) -> str:
    """The text of an element, which is a dict if the element has attributes."""
    return str((value.get("#text") if isinstance(value, dict) else value) or "")
