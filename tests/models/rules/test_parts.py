"""Statements in plain words that rules changed or supported wrongly: parts, bounds, longer names, directions."""

import pytest

from errata.models.rules.agreeing import judge
from errata.models.rules.editing import corrected

PARTS = [
    (
        "Patients take two tablets in the morning and one in the evening.",
        "Patients take one tablet in the evening.",
    ),
    (
        "Patients take two tablets in the morning and one in the evening.",
        "Patients take three tablets.",
    ),
    (
        "Jon won two gold medals in 2018 and one in 2022.",
        "Jon won three gold medals.",
    ),
    (
        "The farm produces 900 litres of milk in summer and 600 in winter.",
        "The farm produces 600 litres of milk in winter.",
    ),
    (
        "The trip costs 90 euros by train and 60 by bus.",
        "The trip costs 60 euros by bus.",
    ),
    (
        "The choir sang two songs in English, one in French and three in German.",
        "The choir sang one song in French.",
    ),
    (
        "The estate sold for 4 million euros in 1999 and for 7 million in 2015. It sold again in 2020 for 6 million.",
        "The estate sold for 7 million euros in 2015.",
    ),
    (
        "The patient received 50 mg of Alvix on Monday and 25 mg on Tuesday.",
        "The patient received 75 mg of Alvix.",
    ),
    (
        "The company employs 120 people in Leeds and 80 in York.",
        "The company employs 200 people.",
    ),
    (
        "The survey covered 1,200 households in towns and 300 in villages.",
        "The survey covered 1,500 households.",
    ),
    (
        "The club has 45 members in the youth section and 60 in the senior section.",
        "The club has 105 members.",
    ),
    (
        "The flat has two rooms on the first floor and three on the second floor.",
        "The flat has five rooms.",
    ),
    (
        "The shop has 12 branches in Norway and 9 in Sweden.",
        "The shop has 21 branches.",
    ),
    (
        "Olsen scored 14 goals in the league and five in the cup.",
        "Olsen scored 19 goals.",
    ),
    (
        "The choir sang two songs in English, one in French and three in German.",
        "The choir sang six songs.",
    ),
    (
        "The treaty was signed in 1951 by six states and in 1973 by three more.",
        "The treaty was signed by nine states.",
    ),
    (
        "The zoo has four lions and six tigers. The park has 30 benches near the lake and 12 near the gate.",
        "The park has 42 benches.",
    ),
    (
        "The price rose from 30 to 45 euros.",
        "The price rose by 15 euros.",
    ),
    (
        "Membership fell from 420 to 390 last year.",
        "Membership fell by 30 last year.",
    ),
    (
        "The price rose from 3 to 4 euros.",
        "The price rose by 1 euro.",
    ),
    (
        "The deposit is 100 euros. It is returned in 14 days. The fee is 20 euros. It is not returned.",
        "The deposit is 100 euros. It is returned in 14 days. The fee is 20 euros. It is not returned.",
    ),
    (
        "The train from Brint to Arlen takes 20 minutes.",
        "The train from Arlen to Brint takes 20 minutes.",
    ),
]
"""True, or not said, beside their documents."""

NOT_SAID = [
    (
        "The bowl weighs 2 lb. It costs 9 euros. The mug weighs 1 lb. It costs 4 euros.",
        "The bowl weighs 2 lb. It costs 4 euros.",
    ),
    (
        "The first room is 4 m wide. It is painted green. The second room is 5 m wide. It is painted blue.",
        "The first room is 4 m wide. It is painted blue.",
    ),
    (
        "Membership is free for children under 16; adults pay 20 euros a year.",
        "Membership is free for children under 18.",
    ),
    (
        "Entry is free for children under 6.",
        "Entry is free for children under 12.",
    ),
    (
        "The tablets are suitable for adults over 18.",
        "The tablets are suitable for adults over 16.",
    ),
    (
        "Delivery is free for orders over 50 euros.",
        "Delivery is free for orders over 30 euros.",
    ),
    (
        "The lift carries up to eight people.",
        "The lift carries up to twelve people.",
    ),
    (
        "The battery lasts up to 10 hours.",
        "The battery lasts up to 12 hours.",
    ),
    (
        "Attendance was 23,450 at Rovers and 18,900 at City.",
        "Attendance at City was 23,450.",
    ),
    (
        "Turnout was 61 percent in Lund and 54 percent in Malm.",
        "Turnout in Malm was 61 percent.",
    ),
    (
        "The temperature was 21 degrees in Rome and 15 degrees in Oslo.",
        "The temperature in Oslo was 21 degrees.",
    ),
    (
        "Sales were 300 units in 2021 and 420 units in 2022.",
        "Sales in 2022 were 300 units.",
    ),
    (
        "The company employs 120 people in Leeds and 80 in York.",
        "The company employs 120 people in York.",
    ),
    (
        "Take 10 ml in the morning and 5 ml in the evening.",
        "Take 10 ml in the evening.",
    ),
    (
        "The Trio has 64 GB of memory. The Trio Max has 256 GB of memory and costs 799 euros.",
        "The Trio has 256 GB of memory.",
    ),
    (
        "The Trio has 64 GB of memory. The Trio Max has 256 GB of memory and costs 799 euros.",
        "The Trio costs 799 euros.",
    ),
    (
        "The Kestrel weighs 1.2 tonnes and has a range of 410 km. The Kestrel Plus has a range of 520 km.",
        "The Kestrel has a range of 520 km.",
    ),
    (
        "John Pratt was born in 1950. John Pratt Jr. was born in 1978 and lives in Ohio.",
        "John Pratt was born in 1978.",
    ),
    (
        "Lena Falk Jensen won the prize in 2015. Lena Falk was on the jury.",
        "Lena Falk won the prize in 2015.",
    ),
    (
        "The Old Town Hall was built in 1560. The Town Hall was built in 1911.",
        "The Town Hall was built in 1560.",
    ),
    (
        "Lake Orm is 40 m deep. Little Lake Orm is 12 m deep.",
        "Lake Orm is 12 m deep.",
    ),
    (
        "Saint Ann's School was founded in 1870. Ann's School was founded in 1920.",
        "Ann's School was founded in 1870.",
    ),
    (
        "New Arlen was founded in 1905 and has a harbour.",
        "Arlen was founded in 1905.",
    ),
    (
        "Great Brint has 900 houses. Brint is a market town.",
        "Brint has 900 houses.",
    ),
    (
        "The train to Oslo leaves from platform 3.",
        "The train from Oslo leaves from platform 3.",
    ),
    (
        "Letters to France cost 1.10 euros.",
        "Letters from France cost 1.10 euros.",
    ),
    (
        "Speed was reduced to 30 km/h.",
        "Speed was reduced by 30 km/h.",
    ),
    (
        "The wall was extended by 20 metres.",
        "The wall was extended to 20 metres.",
    ),
    (
        "The gift was from Ann.",
        "The gift was for Ann.",
    ),
]
"""False, or not said."""


@pytest.mark.parametrize(("document", "text"), PARTS)
def test_what_is_true_of_a_part_or_of_the_whole_is_not_contradicted(document: str, text: str) -> None:
    assert judge(text, text, document).label != "contradiction"


@pytest.mark.parametrize(("document", "text"), NOT_SAID)
def test_what_is_so_of_something_else_supports_nothing(document: str, text: str) -> None:
    asked = text.split(". ")[-1]
    assert judge(text, asked, document).label != "entailment"


@pytest.mark.parametrize(
    ("document", "text", "label"),
    [
        ("The trip costs 90 euros by train and 60 by bus.", "The trip costs 80 euros by train.", "contradiction"),
        ("The price rose from 30 to 45 euros.", "The price rose to 50 euros.", "contradiction"),
        ("The battery lasts up to 10 hours.", "The battery lasts up to 10 hours.", "entailment"),
        ("Gustave Eiffel was born in Dijon in 1832.", "Eiffel was born in Dijon in 1832.", "entailment"),
    ],
)
def test_what_is_said_of_the_same_still_decides(document: str, text: str, label: str) -> None:
    assert judge(text, text, document).label == label


def test_a_price_keeps_its_last_zero() -> None:
    document = "Letters to France cost 1.10 euros."
    assert corrected("Letters to France cost 1.30 euros.", "What do letters cost?", document) == document
