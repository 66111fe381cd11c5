"""Search a database of your own: SQLite's full-text search (FTS5) as a LangChain retriever."""

import re
import sqlite3

from langchain_core.documents import Document
from langchain_core.retrievers import BaseRetriever

from errata.graphs import rarr

PAGES = [
    ("Office", "The office in Bergen opened in 2019. It closes at 18:00."),
    ("Warehouse", "The warehouse in Odense was built in 1974 and has four docks."),
    ("Fleet", "The company runs eleven trucks and two ferries."),
]

database = sqlite3.connect(":memory:", check_same_thread=False)
database.execute("CREATE VIRTUAL TABLE pages USING fts5(title, text)")
database.executemany("INSERT INTO pages VALUES (?, ?)", PAGES)


class Pages(BaseRetriever):
    """The three pages that fit a query best, by BM25."""

    def _get_relevant_documents(self, query: str, **_: object) -> list[Document]:
        words = " OR ".join(f'"{word}"' for word in re.findall(r"\w+", query))  # in quotes, no word is an operator
        found = database.execute("SELECT title, text FROM pages WHERE pages MATCH ? ORDER BY rank LIMIT 3", (words,))
        return [Document(text, metadata={"title": title, "source": f"pages/{title}"}) for title, text in found]


text = "The warehouse in Odense was built in 1947."
result = rarr.graph.invoke({"text": text}, context={"search": Pages()})
print(result["text"], "|", result["evidence"][0]["source"])

# Prints:
# The warehouse in Odense was built in 1974. | pages/Warehouse
