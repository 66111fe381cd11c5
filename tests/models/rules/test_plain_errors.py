"""Plain errors in the words that people use: what rules see as wrong, and what only looks like it."""

import pytest

from errata.models.rules.agreeing import judge
from errata.models.rules.editing import corrected

MILL = (
    "Harrow Mill is a watermill that stands on the River Wend. A storm in 1871 broke its old wheel. Its iron "
    "wheel turns every 9 seconds, and drives two stones. During the flood of 1903 it was closed for a year. "
    "Building began in 1806 under the mason Amos Pell; the last wall was finished in May 1812. The council "
    "bought the mill in 1954. It was started on 2 May 1806 as a corn mill; it became a museum in 1961. The "
    "largest stone is in the yard, not in the cellar. The mill has 14 windows in three rows. The MILLER prize, "
    "given at Harrow Mill, was founded in 1999."
)


@pytest.mark.parametrize(
    ("text", "right"),
    [
        ("The iron wheel of Harrow Mill turns every 9 hours.", "The iron wheel of Harrow Mill turns every 9 seconds."),
        ("The last wall of Harrow Mill was finished in 1806.", "The last wall of Harrow Mill was finished in 1812."),
        ("Harrow Mill became a museum in 1806.", "Harrow Mill became a museum in 1961."),
        ("Started as a corn mill, Harrow Mill became a museum in 1971.",
         "Started as a corn mill, Harrow Mill became a museum in 1961."),
        ("Harrow Mill was bought by the council in 1945.", "Harrow Mill was bought by the council in 1954."),
        ("Harrow Mill was closed for a year in 1913.", "Harrow Mill was closed for a year in 1903."),
        ("Harrow Mill has 41 windows.", "Harrow Mill has 14 windows."),
        ("Harrow Mill, which is old, became a museum in 1962.", "Harrow Mill, which is old, became a museum in 1961."),
    ],
)  # fmt: skip
def test_a_plain_error_is_put_right(text: str, right: str) -> None:
    assert corrected(text, text, MILL, "Harrow Mill") == right


@pytest.mark.parametrize(
    ("text", "right", "evidence", "title"),
    [
        ("Pell passed away in May 1840.", "Pell passed away in May 1838.", "Amos Pell died on 3 May 1838.", "Pell"),
        ("The fair takes place every two years.", "The fair takes place every three years.",
         "The fair is held every three years.", "Fair"),
        ("Wend's capital is Torrow.", "Wend's capital is Aldra.", "The capital of Wend is Aldra.", "Wend"),
        ("The moth reaches 30 feet in length.", "The moth reaches 30 millimetres in length.",
         "The moth can reach a length of about 30 millimetres.", "Moth"),
        ("The tunnel is 34 to 41 metres deep.", "The tunnel is 34 to 41 feet deep.",
         "The tunnel is 34 to 41 feet deep.", "Tunnel"),
        ("The treaty was signed by 65 envoys.", "The treaty was signed by 56 envoys.",
         "56 envoys signed the treaty.", "Orme"),
        ("The saga was written by Jon de Vega.", "The saga was written by Ulf de Horn.",
         "The saga was written by Ulf de Horn.", "Saga"),
        ("The war broke out in 1841.", "The war broke out in 1814.", "The war began in 1814.", "War of Wend"),
        ("Kesh published his table in 1889.", "Kesh published his table in 1869.",
         "The Danish chemist Oluf Kesh published his table in 1869.", "Table"),
    ],
)  # fmt: skip
def test_other_words_for_it_are_understood(text: str, right: str, evidence: str, title: str) -> None:
    assert corrected(text, text, evidence, title) == right


@pytest.mark.parametrize(
    ("text", "evidence", "title"),
    [
        (
            "Sound travels at 343 metres per second.",
            "Sound travels through water at about 1,480 metres per second.",
            "Sound",
        ),
        (
            "The core is at about 5,500 degrees Celsius.",
            "The core is hot. Iron melts at 1,538 degrees Celsius.",
            "Core",
        ),
        ("The valve was invented at Orme in 1904.", "The KLEX valve was invented at Orme in 1931.", "Valve"),
        ("The school was closed in 1990.", "The board closed the first school in 1950.", "Orme"),
        ("The school was closed in 1990.", "A storm closed the road to the school in 1950.", "School"),
        ("The Wend flows into the Grey Sea and the Long Sea.", "The Wend flows into the Long Sea.", "Wend"),
    ],
)
def test_what_only_looks_wrong_is_left(text: str, evidence: str, title: str) -> None:
    assert judge(text, text, evidence, title).label != "contradiction"


@pytest.mark.parametrize(
    "text",
    ["The largest stone of Harrow Mill is in the cellar.", "The last wall of Harrow Mill was finished in May 1806."],
)
def test_what_the_evidence_denies_or_says_of_something_else_is_never_supported(text: str) -> None:
    assert judge(text, text, MILL, "Harrow Mill").label != "entailment"
