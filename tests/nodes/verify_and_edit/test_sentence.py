"""What an answer from evidence says of the sentence that it was asked about."""

from typing import Any

import pytest

from errata.graphs import verify_and_edit
from errata.nodes.verify_and_edit.sentence import compared
from errata.state import Context
from errata.state.text.segments import sentences_of

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


async def test_what_is_cited_stands_word_for_word_in_a_source() -> None:
    result = await checked("Arlen was founded in 1900 and lies in Norway.", PAGE)
    (edit,) = result["edits"]
    assert edit["after"] == "Arlen was founded in 1850 and lies in Norway."
    assert edit["reason"].endswith("\nEvidence: Arlen was founded in 1850.")
    assert all(piece["text"] in PAGE for piece in result["evidence"])
    cited = [piece["text"] for piece in result["evidence"] if piece["id"] == edit["evidence"]]
    assert [sentences_of(text)[-1] for text in cited] == ["Arlen was founded in 1850."]


async def test_a_pronoun_is_read_with_what_it_stands_for() -> None:
    result = await checked("Orm was founded in 1900.", PAGE)
    assert result["text"] == "Orm was founded in 1950."
    result = await checked("Arlen was founded in 1850.", PAGE.replace("Arlen was founded in 1850. ", ""))
    assert (result["status"], result["edits"]) == ("not checked", [])


async def test_numbers_in_another_order_are_corrected() -> None:
    result = await checked("Arlen beat Orm 3 to 2.", "Arlen beat Orm 2 to 3.")
    assert (result["text"], result["status"]) == ("Arlen beat Orm 2 to 3.", "corrected")
