"""Sentences that are the same but for one place."""

import pytest

from errata.models.rules.agreeing import judge
from errata.models.rules.editing import corrected
from errata.models.rules.language.twins import difference
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
    ("Wend is larger than Orme.", "Orme is larger than Wend."),
    ("Keld has a mayor and Orme has none.", "Orme has a mayor and Keld has none."),
]
TURNED_NUMBERS = [
    ("The price rose from 12 crowns to 19 crowns.", "The price rose from 19 crowns to 12 crowns."),
    ("The share fell from 9 to 6 percent.", "The share fell from 6 to 9 percent."),
    ("The Corvus 4 replaced the Corvus 2 in 2016.", "The Corvus 2 replaced the Corvus 4 in 2016."),
]
DENIALS = [
    ("The house has no cellar.", "The house has a cellar."),
    ("No survivors were found at the site.", "Survivors were found at the site."),
    ("Kessler never returned to Vienna.", "Kessler returned to Vienna."),
]
OTHER_WRITING = [
    ("议会通过了这项法案。", "议会否决了这项法案。"),
    ("这座桥最多可承受二十吨。", "这座桥至少可承受二十吨。"),
    ("매출은 2020년에 12퍼센트 증가했다.", "매출은 2020년에 12퍼센트 감소했다."),
    ("이 산은 저 산보다 높다.", "이 산은 저 산보다 낮다."),
]
TURNED_IN_OTHER_WRITING = [
    ("总部从上海迁到了北京。", "总部从北京迁到了上海。"),
    ("法国队在决赛中击败了巴西队。", "巴西队在决赛中击败了法国队。"),
    ("한솔이 두레를 인수했다.", "두레가 한솔을 인수했다."),
]
NO_OPPOSITES = [
    ("东塔建于1300年。", "西塔建于1300年。"),
    ("法国队击败了巴西队。", "巴西队击败了法国队。"),
    ("한솔과 두레가 만났다.", "두레와 한솔이 만났다."),
    ("유나가 민호를 만났다.", "민호가 유나를 만났다."),
    ("The later manuscript is kept in Ghent.", "The earlier manuscript is kept in Ghent."),
    ("The house stands in the old town.", "The house stands in the new town."),
    ("Students teach teachers.", "Teachers teach students at times."),
    ("Cats help dogs in winter.", "Dogs help cats in winter."),
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
    ("Ann Moll bought the blue house in 1950.", "Ann Moll bought the red house."),
    ("Pia Renn discovered sodium in 1907.", "Pia Renn discovered potassium in 1907."),
    ("Pia Renn married a French painter.", "Pia Renn married a German painter."),
    ("Storms destroyed the lower dam.", "Storms destroyed the upper dam."),
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


@pytest.mark.parametrize(("evidence", "text"), [*TURNED_NUMBERS, *DENIALS, *OTHER_WRITING])
def test_numbers_denials_and_other_writing_are_put_right(evidence: str, text: str) -> None:
    assert corrected(text, text, evidence, "").casefold() == evidence.casefold()


@pytest.mark.parametrize(("evidence", "text"), TURNED_IN_OTHER_WRITING)
def test_what_changed_places_in_other_writing_is_left_to_people(evidence: str, text: str) -> None:
    assert judge(text, text, evidence, "").label == "contradiction"
    with pytest.raises(Undecided):
        corrected(text, text, evidence, "")


@pytest.mark.parametrize(("evidence", "text"), NO_OPPOSITES)
def test_what_may_be_true_as_well_is_no_contradiction(evidence: str, text: str) -> None:
    assert judge(text, text, evidence, "").label != "contradiction"


@pytest.mark.parametrize(("evidence", "text"), [*((one, other) for one, other, _ in OPPOSITES), *TURNED])
def test_neither_is_ever_supported(evidence: str, text: str) -> None:
    assert judge(text, text, evidence, "").label != "entailment"
    assert judge(evidence, evidence, evidence, "").label != "contradiction"


@pytest.mark.parametrize(
    ("one", "other", "changed"),
    [
        ("The ferry sails on Sundays.", "The ferry does not sail on Sundays.", ("sails", "does not sail")),
        ("The ferry sailed on Sunday.", "The ferry didn’t sail on Sunday.", ("sailed", "didn’t sail")),
        ("The ferries sail on Sundays.", "The ferries don't sail on Sundays.", ("sail", "don't sail")),
        ("The crew found the wreck.", "The crew did not find the wreck.", ("found", "did not find")),
        ("The tower can be climbed.", "The tower cannot be climbed.", ("can be", "cannot be")),
        ("The tower can be climbed.", "The tower can't be climbed.", ("can be", "can't be")),
        ("The valve is open at night.", "The valve isn't open at night.", ("is open", "isn't open")),
    ],
)
def test_a_verb_is_denied_with_do_or_in_one_word(one: str, other: str, changed: tuple[str, str]) -> None:
    for claim, evidence, parts in ((one, other, changed), (other, one, changed[::-1])):
        found = difference(claim, evidence)
        assert found
        assert found.mine
        assert found.theirs
        assert (claim[slice(*found.mine)], evidence[slice(*found.theirs)]) == parts


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The ferry sails on Sundays.", "The ferry does not sail on Mondays."),
        ("The ferry sails on Sundays.", "The ferry did not sail on Sundays."),
        ("The ferry sails on Sundays.", "The ferry does not sail on Sundays in winter."),
        ("The crew finds the wreck.", "The crew does not leave the wreck."),
    ],
)
def test_another_time_place_or_verb_denies_nothing(one: str, other: str) -> None:
    assert difference(one, other) is None
    assert difference(other, one) is None
