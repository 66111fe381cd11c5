"""What an answer from evidence says of the sentence that it was asked about."""

import pytest

from errata.nodes.verify_and_edit.sentence import compared


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
