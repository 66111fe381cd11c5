"""What an answer from evidence says of the sentence that it was asked about."""

from typing import Any

import pytest

from errata.graphs import verify_and_edit
from errata.nodes.verify_and_edit.sentence import compared
from errata.state import Context

from ...fakes import FakeSearch


@pytest.mark.parametrize(
    ("before", "after", "question", "label"),
    [
        ("Einstein was born in Ulm.", "Einstein was born in Ulm.", "Where was Einstein born?", "entailment"),
        ("Einstein was born in Ulm.", "Ulm.", "Where was Einstein born?", "entailment"),
        ("He was born in 1879.", "He was born on 14 March 1879.", "When was Einstein born?", "entailment"),
        ("Einstein, a Dane, was born in Ulm.", "Einstein was born in Ulm.", "Where was Einstein born?", "neutral"),
        ("It opened in 1889, not in 1887.", "It opened in 1889.", "When did it open?", "neutral"),
        ("Einstein was born in Bern.", "Einstein was born in Ulm.", "Where was Einstein born?", "contradiction"),
        ("Einstein was not born in Ulm.", "Einstein was born in Ulm.", "Where was Einstein born?", "contradiction"),
        ("Einstein was born in Ulm.", "Einstein wasn’t born in Ulm.", "Where was Einstein born?", "contradiction"),
        ("Einstein never left Ulm.", "Einstein left Ulm.", "What did Einstein leave?", "contradiction"),
    ],
)
def test_only_all_of_a_sentence_is_borne_out(before: str, after: str, question: str, label: str) -> None:
    assert compared(before, after, question) == label


PAGE = "Arlen is a town. Arlen was founded in 1850. Orm is a town near it. It was founded in 1950."


async def checked(text: str, page: str) -> dict[str, Any]:
    context = Context(search=FakeSearch(find=lambda query: [page]))
    result: dict[str, Any] = await verify_and_edit.graph.ainvoke({"text": text}, context=context)
    return result
