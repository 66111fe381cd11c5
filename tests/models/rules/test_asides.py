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
