"""Between subject and verb a participle is about the subject, and another noun about another thing."""

import pytest

from errata.models.rules.agreeing import judge
from errata.models.rules.editing import corrected


@pytest.mark.parametrize(
    ("text", "evidence", "right"),
    [
        ("The bridge, built in 1941, is 400 metres long.", "The bridge was built in 1931. It is 400 metres long.",
         "The bridge, built in 1931, is 400 metres long."),
        ("The bridge, built in 1931, is 300 metres long.", "The bridge was built in 1931. It is 400 metres long.",
         "The bridge, built in 1931, is 400 metres long."),
        ("The bridge was built in 1931.", "The bridge, planned in 1931, was built in 1950.",
         "The bridge was built in 1950."),
        ("Arlen, founded in 1950, has a population of 12,000.", "City: Arlen; Population: 12000; Founded: 1850.",
         "Arlen, founded in 1850, has a population of 12,000."),
    ],
)  # fmt: skip
def test_both_halves_are_decided(text: str, evidence: str, right: str) -> None:
    assert corrected(text, text, evidence) == right
    assert judge(right, right, evidence).label == "entailment"


@pytest.mark.parametrize(
    ("text", "evidence"),
    [
        ("Arlen was founded in 1850.", "Arlen, the home of a club founded in 1931, has a harbour."),
        ("The museum was built in 1950.", "The museum, next to the library built in 1931, has 300 paintings."),
        ("The bridge was built in 1950.", "The bridge, a copy of one built in 1931, is 400 m long."),
        ("Ann Lee was born in 1850.", "Ann Lee, sister of Bo Ek, born in 1866, is a painter."),
        ("The bridge was built in 1931.", "The bridge, not built in 1931, is 400 m long."),
        ("The mill was built in 1800.", "The mill, supposedly built in 1800, is 20 m tall."),
        ("The club was founded in 1900.", "The club, Bo Ek said, was founded in 1900."),
        ("The club was founded in 1931.", "The club, Bo Ek wrote in 1931, was founded in 1900."),
        ("The mill is sold.", "If the mill, built in 1800, is sold, has the town a plan?"),
    ],
)
def test_what_is_said_of_another_or_by_another_decides_nothing(text: str, evidence: str) -> None:
    assert judge(text, text, evidence).label == "neutral"


FERRY = "The largest ferry, the Aurora, carries 450 passengers."
MAYOR = "The former mayor, Anna Berg, moved to Skorn in 1990."


@pytest.mark.parametrize(
    ("text", "evidence", "label"),
    [
        ("The Aurora carries 450 passengers.", FERRY, "entailment"),
        ("The largest ferry carries 450 passengers.", FERRY, "entailment"),
        ("The Aurora carries 400 passengers.", FERRY, "contradiction"),
        ("The ferry carries 450 passengers.", FERRY, "neutral"),
        ("The smallest ferry carries 400 passengers.", FERRY, "neutral"),
        ("Anna Berg moved to Skorn in 1990.", MAYOR, "entailment"),
        ("Anna Berg moved to Skorn in 1991.", MAYOR, "contradiction"),
        ("The mayor moved to Skorn in 1990.", MAYOR, "neutral"),
        ("Norway has 5 million people.", "Skorn, Norway, has 400 people.", "neutral"),
        ("The doctor moved to Rome in 1990.", "Anna Berg, a doctor, moved to Rome in 1991.", "neutral"),
        ("Berta went to Rome in 1990.", "Anna, Berta, and Carla went to Rome in 1991.", "neutral"),
    ],
)
def test_a_subject_may_have_another_name_between_commas(text: str, evidence: str, label: str) -> None:
    assert judge(text, text, evidence).label == label


SERVICE = "The Aurora carries 450 passengers. A single ticket costs 12 euros. It sails daily."


@pytest.mark.parametrize(
    ("text", "before", "label"),
    [
        ("A single ticket costs 12 euros.", "", "entailment"),
        ("A single ticket costs 12 euros.", "The Borealis is smaller.", "neutral"),
        ("It sails daily.", "", "neutral"),
        ("It sails daily.", "The Aurora carries 450 passengers.", "entailment"),
        ("It sails daily.", "The Borealis is smaller.", "neutral"),
    ],
)
def test_a_sentence_that_the_evidence_repeats_is_supported_unless_it_may_be_about_something_else(
    text: str, before: str, label: str
) -> None:
    assert judge(text, text, SERVICE, before=before).label == label


def test_a_question_supports_nothing() -> None:
    assert judge("Tickets cost more now.", "Tickets cost more now.", "Tickets cost more now?").label == "neutral"
