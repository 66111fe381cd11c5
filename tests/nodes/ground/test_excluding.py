"""Whether new words say that the old ones are wrong."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from errata.nodes.ground.excluding import are_listed, has_number, may_both_be_true, measured

WORDS = st.lists(
    st.sampled_from("Linden Corvo and 1931 12 , . sold 시장은 열린다 石桥 和 둘".split()), min_size=1, max_size=12
).map(" ".join)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("found", "discovered"),
        ("passed", "flew past"),
        ("won", "received"),
        ("two years later", "in 1959"),
        ("less than a week", "6.4 days"),
        ("탔다", "받았다"),
        ("탔습니다", "받았다"),
    ],
)
def test_another_verb_or_another_kind_of_fact_may_be_true_as_well(old: str, new: str) -> None:
    assert may_both_be_true(old, new)
    assert may_both_be_true(new, old)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("opened", "closed"),
        ("bought", "sold"),
        ("first", "last"),
        ("1931", "1934"),
        ("120", "1350"),
        ("14 May", "15 June"),
        ("limestone", "granite"),
        ("시작한다", "끝난다"),
        ("약사였다", "교사였다"),
        ("三", "四"),
    ],
)
def test_opposites_and_other_values_exclude_each_other(old: str, new: str) -> None:
    assert not may_both_be_true(old, new)
    assert not may_both_be_true(new, old)


@pytest.mark.parametrize(
    ("old", "new", "evidence", "listed"),
    [
        ("Friday", "Saturday", "It opens on Friday and on Saturday.", True),
        ("piano", "flute", "She plays the piano, the flute and the harp.", True),
        ("French", "German", "Pupils learn French or German.", True),
        ("금요일에", "토요일에", "금요일과 토요일 저녁에 열린다.", True),
        ("日本", "德国", "出口到日本和德国。", True),
        ("Lisbon", "Madrid", "She was born in Lisbon, not in Madrid.", False),
        ("Lisbon", "Madrid", "She moved from Lisbon to Madrid.", False),
        ("1931", "1934", "It was built in 1931 and 1934.", False),
        ("Friday", "Saturday", "It opens on Saturday.", False),
    ],
)
def test_what_the_evidence_lists_side_by_side_is_told(old: str, new: str, evidence: str, listed: bool) -> None:
    assert are_listed(old, new, evidence) == are_listed(new, old, evidence) == listed


@given(WORDS, WORDS, WORDS)
def test_the_order_of_two_texts_makes_no_difference(old: str, new: str, evidence: str) -> None:
    assert may_both_be_true(old, new) == may_both_be_true(new, old)
    if not has_number(old) and not has_number(new):
        assert are_listed(old, new, evidence) == are_listed(new, old, evidence)


def test_a_unit_goes_with_the_number_before_it() -> None:
    assert measured("It is 412 metres long.", 10, "metres") == "412 metres"
    assert measured("Twice in fifteen seconds.", 17, "seconds") == "fifteen seconds"
    assert measured("In less than a day.", 15, "day") == ""
    assert measured("It is made of granite.", 14, "granite") == "granite"
