"""Sentences that are the same but for one place."""

import pytest

from errata.models.rules.agreeing import judge
from errata.models.rules.editing import corrected
from errata.state.errors import Undecided

OPPOSITES = [
    ("The ferry company hired 40 sailors in 1911.", "The ferry company fired 40 sailors in 1911.", ""),
    ("Profits at Keld rose by 4 percent in spring.", "Profits at Keld fell by 4 percent in spring.", "rose"),
    ("The council approved the tunnel after the vote.", "The council approved the tunnel before the vote.", "after"),
    ("More than 70 farms were flooded in Wend.", "Fewer than 70 farms were flooded in Wend.", "More"),
    ("The lift carries at most 12 people.", "The lift carries at least 12 people.", "most"),
    ("The pass lies 300 metres above the lake.", "The pass lies 300 metres below the lake.", "above"),
    ("Children under six travel free on the ferry.", "Children over six travel free on the ferry.", "under"),
    ("The pump moves 90 litres a minute.", "The pump moves 90 litres a second.", "minute"),
    ("Jonna Felk is the tallest of the four cousins.", "Jonna Felk is the shortest of the four cousins.", "tallest"),
    ("The museum bought the painting in 1988.", "The museum sold the painting in 1988.", "bought"),
    ("Sanna Rolf left the orchestra in 2003.", "Sanna Rolf joined the orchestra in 2003.", "left"),
    ("The mayor voted for the new bridge.", "The mayor voted against the new bridge.", "for"),
    ("The lake froze in January 1963.", "The lake melted in January 1963.", "froze"),
    ("The firm imports timber from Orme.", "The firm exports timber from Orme.", "imports"),
]
TURNED = [
    ("Keld Shipping bought Orme Lines in 1999.", "Orme Lines bought Keld Shipping in 1999."),
    ("Ada Moll taught Pia Renn the violin.", "Pia Renn taught Ada Moll the violin."),
    ("The price rose from 12 crowns to 19 crowns.", "The price rose from 19 crowns to 12 crowns."),
    ("The Corvus 4 replaced the Corvus 2 in 2016.", "The Corvus 2 replaced the Corvus 4 in 2016."),
    ("Wend is larger than Orme.", "Orme is larger than Wend."),
    ("Keld has a mayor and Orme has none.", "Orme has a mayor and Keld has none."),
]
NO_OPPOSITES = [
    ("Ada Moll married Pia Renn in 2015.", "Pia Renn married Ada Moll in 2015."),
    ("Wend borders Orme.", "Orme borders Wend."),
    ("Wend beat Orme in 2008.", "Orme beat Wend in 2008."),
    ("Keld and Orme signed the treaty.", "Orme and Keld signed the treaty."),
    ("The road runs between Keld and Orme.", "The road runs between Orme and Keld."),
    ("The capital is Keld.", "Keld is the capital."),
    ("The north tower was built in 1300.", "The south tower was built in 1300."),
    ("The king visited Keld in May.", "The queen visited Keld in May."),
    ("Most houses in Keld were destroyed.", "More houses in Keld were destroyed."),
    ("The tower was completed in Keld in 1889.", "The tower was completed in 1889 in Keld."),
    ("The school opened in 1932.", "The school closed in 1950."),
    ("The treaty was signed by Keld.", "The treaty was kept by Keld."),
    ("The museum bought the painting in 1988.", "In 1988 the museum bought the painting."),
    ("The fair began on the last day of May.", "The fair began on the last week of May."),
    ("The war began when Keld invaded Orme.", "The war ended with the fall of Keld."),
]


@pytest.mark.parametrize(("evidence", "text", "wanted"), OPPOSITES[1:])
def test_an_opposite_is_a_contradiction_and_gives_way(evidence: str, text: str, wanted: str) -> None:
    assert judge(text, text, evidence, "").label == "contradiction"
    assert corrected(text, text, evidence, "") == evidence
    assert wanted in evidence


@pytest.mark.parametrize(("evidence", "text"), TURNED)
def test_things_that_changed_places_contradict_and_are_left_to_people(evidence: str, text: str) -> None:
    assert judge(text, text, evidence, "").label == "contradiction"
    assert judge(evidence, evidence, text, "").label == "contradiction"
    with pytest.raises(Undecided):
        corrected(text, text, evidence, "")


@pytest.mark.parametrize(("evidence", "text"), NO_OPPOSITES)
def test_what_may_be_true_as_well_is_no_contradiction(evidence: str, text: str) -> None:
    assert judge(text, text, evidence, "").label != "contradiction"


@pytest.mark.parametrize(("evidence", "text"), [*((one, other) for one, other, _ in OPPOSITES), *TURNED])
def test_neither_is_ever_supported(evidence: str, text: str) -> None:
    assert judge(text, text, evidence, "").label != "entailment"
    assert judge(evidence, evidence, evidence, "").label != "contradiction"
