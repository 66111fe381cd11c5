"""Search with a LangChain retriever of your own. A vector store's `as_retriever()` goes in the same place."""

from langchain_core.documents import Document
from langchain_core.retrievers import BaseRetriever

from errata.graphs import rarr


class Handbook(BaseRetriever):
    """Two sentences that every query finds."""

    def _get_relevant_documents(self, query: str, **_: object) -> list[Document]:
        return [Document("The office opened in 2019. It closes at 18:00.", metadata={"title": "Handbook"})]


result = rarr.graph.invoke({"text": "The office opened in 2017."}, context={"search": Handbook()})
print(result["text"], "|", result["evidence"][0]["title"])

# Prints:
# The office opened in 2019. | Handbook
