"""What a statement and its evidence only half share: a `not` of one part, a plan, another event, another place."""

import pytest

from errata.models.rules.agreeing import judge
from errata.models.rules.editing import corrected
from errata.models.rules.extracting import extract

UNDECIDED = [
    ("The bridge was not designed by Carl Dorn but by Anna Bell.", "The bridge was designed by Anna Bell."),
    ("The bridge was not designed by Carl Dorn but by Anna Bell.", "The bridge was not designed by Anna Bell."),
    ("The tower was not only designed by Anna Bell but also paid for by her.", "The tower was designed by Anna Bell."),
    ("The clinic is open on Mondays but not on Tuesdays.", "The clinic is not open on Tuesdays."),
    ("The clinic is open on Mondays but not on Tuesdays.", "The clinic is open on Tuesdays."),
    ("The film did not win the prize until 2003.", "The film won the prize in 2003."),
    ("The film did not win the prize until 2003.", "The film won the prize."),
    ("Rosa Klein denied that she had met Paul Weber.", "Rosa Klein had not met Paul Weber."),
    ("Rosa Klein said that the mill was built in 1900.", "The mill was built in 1901."),
    ("The Dorn Tower was completed in 1904.", "The Dorn Tower was to be completed in 1900."),
    ("The Dorn Tower was completed in 1904.", "The Dorn Tower was almost completed in 1903."),
    ("The Dorn Tower was completed in 1904.", "In Linz, a Dorn Tower was completed in 1910."),
    ("The new bridge was opened in 2012.", "The new bridge should have been opened in 2010."),
    ("The new bridge was opened in 2012.", "A new bridge was opened in 1950."),
    ("On 3 May 2019, Acme hired 20 engineers in Berlin.", "In June 2019, Acme hired 30 engineers."),
    ("Anna Bell scored 12 goals in 2015.", "Anna Bell scored 2 goals in the final."),
    ("Anna Bell scored 12 goals in 2015.", "Anna Bell wanted to score 20 goals in 2015."),
    ("In 2010, the company employed 300 people.", "In 2020, the company employed 500 people."),
    ("In winter, the museum is closed.", "In summer, the museum is closed."),
    ("In Sweden the speed limit is 110 km/h.", "In Norway the speed limit is 110 km/h."),
    ("Meridol contains 50 mg of meridoline.", "Meridol Forte contains 500 mg of meridoline."),
    ("Anna Bell won the race.", "Anna Bell almost won the race."),
    ("Meridol contains 50 mg of meridoline.", "Does Meridol contain 500 mg of meridoline?"),
    ("The owner of Acme is Globex.", "Acme is the owner of Globex."),
    ("Anna Bell is the mother of Carl Dorn.", "The mother of Anna Bell is Carl Dorn."),
    ("The capital of Ostania is Ferrum.", "Ostania is the capital of Ferrum."),
]
TRUE = [
    ("Meridol was developed by Anna Bell and not by her brother.", "Meridol was developed by Anna Bell."),
    ("The drug was tested on mice but never on humans.", "The drug was tested on mice."),
    ("The museum stands in Graz and not in Linz.", "The museum stands in Graz."),
    ("The law passed in 1998 and not in 1999.", "The law passed in 1998."),
    ("The owner of Acme is Globex.", "Globex is the owner of Acme."),
]
WRONG = [
    ("The museum stands in Graz and not in Linz.", "The museum does not stand in Graz."),
    ("Anna Bell scored 12 goals in 2015.", "Anna Bell scored 15 goals in 2015."),
    ("Meridol contains 50 mg of meridoline.", "Meridol contains 500mg of meridoline."),
]


@pytest.mark.parametrize(("evidence", "text"), UNDECIDED)
def test_what_is_only_half_shared_is_left_undecided(evidence: str, text: str) -> None:
    assert judge(text, text, evidence, "").label == "neutral"


@pytest.mark.parametrize(("evidence", "text"), TRUE)
def test_what_the_first_part_says_is_so(evidence: str, text: str) -> None:
    assert judge(text, text, evidence, "").label == "entailment"


@pytest.mark.parametrize(("evidence", "text"), WRONG)
def test_what_it_says_otherwise_is_wrong(evidence: str, text: str) -> None:
    assert judge(text, text, evidence, "").label == "contradiction"


@pytest.mark.parametrize(
    ("evidence", "text"),
    [
        ("No member of the council voted.", "A member of the council voted."),
        ("A member of the council voted.", "No member of the council voted."),
    ],
)
def test_nobody_and_somebody_change_places_with_their_articles(evidence: str, text: str) -> None:
    assert corrected(text, text, evidence, "") == evidence


@pytest.mark.parametrize(
    ("text", "claimed"),
    [
        ("In Norway, smoking is banned in bars.", ("smoking", "is banned in", "bars in Norway")),
        ("For children, the dose is 10 mg.", ("the dose", "is", "10 mg for children")),
        ("In 1889 the tower opened.", ("the tower", "opened", "in 1889")),
        ("The tower opened in 1889.", ("The tower", "opened in", "1889")),
        ("The temperature fell to -12 °C.", ("The temperature", "fell to", "-12 °C")),
        ("The price rose by 5 % in May.", ("The price", "rose by", "5 % in May")),
        ("The repairs cost $3 million.", ("The repairs", "cost", "$3 million")),
        ("Anna Bell never won the race.", ("Anna Bell", "never won", "the race")),
        ("Do not take Zorvan with food.", ("Do", "not take", "Zorvan with food")),
        ("Anna Bell only visited Rome.", ("Anna Bell", "only visited", "Rome")),
        ("The clinic treats adults.", ("The clinic treats adults", "", "")),
    ],
)
def test_a_claim_holds_where_its_sentence_does(text: str, claimed: tuple[str, str, str]) -> None:
    (claim,) = extract({"sentences": [text]}).claims
    assert (claim.subject, claim.predicate, claim.object) == claimed


def test_a_heading_swallows_no_sentence() -> None:
    sentences = ["Meridol 50 mg film-coated tablets", "Meridol contains 50 mg of meridoline.", "It is white."]
    claims = extract({"sentences": sentences}).claims
    assert [(claim.subject, claim.sentences) for claim in claims[-2:]] == [("Meridol", [2]), ("Meridol", [3])]
