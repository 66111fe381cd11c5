"""What looks the same and is not: another section, another side, a name or numbers turned round, a minus."""

import pytest

from errata.models.rules.agreeing import judge
from errata.models.rules.editing import corrected

TOWNS = "Arlen\n\nArlen is a town in the north.\n\nOrm\n\nIt was founded in 1950. The lake near Orm is deep."
HOUSES = "Museum\n\nThe museum shows old tools.\n\nLibrary\n\nThe entry costs 5 euros."

UNDECIDED = [
    (TOWNS, "Towns", "Arlen was founded in 1900."),
    (TOWNS, "Towns", "Arlen was founded in 1950."),
    (HOUSES, "Houses", "The museum shows tools. The entry costs 3 euros."),
    (HOUSES, "Houses", "The museum shows tools. The entry costs 5 euros."),
    ("Library" + HOUSES.partition("Library")[2], "Houses", "The museum shows tools. The entry costs 5 euros."),
    ("The speed limit is 50 km/h in towns.", "", "The speed limit is 100 km/h outside towns."),
    ("Dogs are not allowed inside the park.", "", "Dogs are allowed outside the park."),
    ("The fee is 8 euros after noon.", "", "The fee is 5 euros before noon."),
    ("Ann Lee has 20 books.", "", "Lee Ann has 20 books."),
    ("Ann Lee has 20 books.", "", "Lee Ann has 30 books."),
    ("Ann Lee was born in Rome.", "", "Lee Ann was born in Paris."),
    ("The director of the museum is Ann Lee.", "", "The director of the museum is Lee Ann."),
]
TRUE = [
    (TOWNS, "Towns", "Orm was founded in 1950."),
    ("Lisbon\n\nIt was founded in 1950.", "Towns", "Lisbon was founded in 1950."),
    ("History\n\nIt was founded in 1950.", "Arlen", "Arlen was founded in 1950."),
    ("Oslo\n\nHe was born in 1950.", "Carl Dorn", "Carl Dorn was born in 1950."),
    ("Lake Victoria is 80 m deep.", "", "Victoria Lake is 80 m deep."),
    ("The low in Arlen is minus five degrees Celsius.", "", "The low in Arlen is −5 °C."),
]
WRONG = [
    ("The low in Arlen is 5 °C.", "The low in Arlen is -5 °C.", "The low in Arlen is 5 °C."),
    ("The low in Arlen is minus 5 °C.", "The low in Arlen is 5 °C.", "The low in Arlen is minus 5 °C."),
    ("The low in Arlen is -8 °C.", "The low in Arlen is minus 5 °C.", "The low in Arlen is minus 8 °C."),
    ("The balance of Arlen is -$7.50.", "The balance of Arlen is $5.50.", "The balance of Arlen is -$7.50."),
    ("Arlen grew from 20 to 10 houses.", "Arlen grew from 10 to 20 houses.", "Arlen grew from 20 to 10 houses."),
]


def sentence_of(text: str) -> str:
    return text.rpartition(". ")[2]


@pytest.mark.parametrize(("evidence", "title", "text"), UNDECIDED)
def test_what_is_said_of_something_else_says_nothing(evidence: str, title: str, text: str) -> None:
    assert judge(text, sentence_of(text), evidence, title).label == "neutral"


@pytest.mark.parametrize(("evidence", "title", "text"), TRUE)
def test_what_is_said_of_the_same_bears_it_out(evidence: str, title: str, text: str) -> None:
    assert judge(text, text, evidence, title).label == "entailment"


@pytest.mark.parametrize(("evidence", "text", "right"), WRONG)
def test_signs_and_orders_of_numbers_are_put_right(evidence: str, text: str, right: str) -> None:
    assert corrected(text, text, evidence) == right
