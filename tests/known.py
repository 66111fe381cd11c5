"""A small world in which everything is known: two mistakes, the evidence against them, and no model to ask.

For tests of what surrounds a graph, which must not depend on how well the built-in backends think.
"""

from typing import Any

from langchain_core.runnables import RunnableLambda

from errata import Context, Evidence
from errata.tools import SearchTool, evidence

WRONG = "The tower was built in 1899. It stands in Lyon."
RIGHT = "The tower was built in 1889. It stands in Paris."
MISTAKES = {"When was it built?": ("1899", "1889"), "Where does it stand?": ("Lyon", "Paris")}
FOUND = {"When was it built?": "It was built in 1889.", "Where does it stand?": "It stands in Paris."}


class KnownSearch(SearchTool):
    """Finds what is right."""

    name: str = "known"
    description: str = "Finds what is right."

    async def _find(self, query: str, limit: int) -> list[Evidence]:
        return [evidence(query=query, text=FOUND[query], title="The tower", source="known:tower")]


async def queries(asked: dict[str, Any]) -> dict[str, Any]:
    return {"queries": list(MISTAKES)}


async def rank(asked: dict[str, Any]) -> dict[str, Any]:
    return {"scores": [1.0] * len(asked["passages"])}


async def agreement(asked: dict[str, Any]) -> dict[str, Any]:
    wrong, right = MISTAKES[asked["query"]]
    says = wrong if wrong in asked["text"] else right
    return {"text_says": says, "evidence_says": right, "label": "contradiction" if says == wrong else "entailment"}


async def edit(asked: dict[str, Any]) -> dict[str, Any]:
    wrong, right = MISTAKES[asked["query"]]
    return {"text": asked["text"].replace(wrong, right)}


async def draft(asked: dict[str, Any]) -> dict[str, Any]:
    return {"text": WRONG}


def known(**settings: Any) -> Context:
    """Settings of a run in this world."""
    backends = {make.__name__: RunnableLambda(make) for make in (draft, queries, rank, agreement, edit)}
    return Context(**{"search": KnownSearch(), "backends": backends, **settings})
