"""When two answers mean the same: numbers with sign and unit, dates, and words."""

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from errata.state.text.answers import majority
from errata.state.text.values import agreeing, exclude, same_answer, same_quantity

TEXTS = st.one_of(
    st.text(max_size=20),
    st.text(alphabet="0123456789-−.,$%eE/: kmABC'\u00a0", max_size=12),
    st.sampled_from(["five", "5", "-5", "5 km", "5 miles", "5%", "44 BC", "20 July 1969", "July 1969", "1969", "C++"]),
)
NUMBERS = st.decimals(min_value=-(10**9), max_value=10**9, places=3, allow_nan=False, allow_infinity=False)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("452 metres", "452"),
        ("508 metres", "508 m"),
        ("508m", "508 meters"),
        ("5 km", "5000 m"),
        ("20 July 1969", "July 20, 1969"),
        ("the 20th of July 1969", "1969-07-20"),
        ("Sunday, 20 July 1969", "on 20 July 1969."),
        ("1969年7月20日", "20 July 1969"),
        ("in 1969", "AD 1969"),
        ("44 BC", "44 B.C."),
        ("−5", "-5"),
        ("minus 5", "-5"),
        ("minus five", "-5"),
        ("negative $5", "-$5"),
        ("1/2", "0.5"),
        ("-3/4", "-0.75"),
        ("5 USD", "$5"),
        ("£5", "5 GBP"),
        ("20.7.1969", "20 July 1969"),
        ("20. 07. 1969", "20/07/1969"),
        ("07/20/1969", "20 July 1969"),
        ("0 °C", "32 °F"),
        ("1 h", "60 minutes"),
        ("5 sq km", "5 square kilometres"),
        ("$5 m", "5 million dollars"),
        ("$-5", "-$5"),
        ("1,000", "1000"),
        ("1\u202f000", "1000"),
        ("1.005 million", "1,005,000"),
        ("2.50", "2.5"),
        (".5", "0.5"),
        ("twelve", "12"),
        ("third", "3rd"),
        ("45 percent", "45%"),
        ("$5", "5 dollars"),
        ("５", "5"),
        ("**12**", "12."),
        ("3,500 people", "3500 people"),
        ("“The Elbe”", "elbe"),
        ("Hawaii’s flag", "Hawaii's flag"),
        ("J. R. R. Tolkien", "J R R Tolkien"),
    ],
)
def test_the_same_in_other_words(one: str, other: str) -> None:
    assert same_answer(one, other)
    assert same_answer(other, one)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("-5", "5"),
        ("minus 5 people", "5 people"),
        ("-5 people", "5 people"),
        ("3.5", "35"),
        ("3,5", "35"),
        ("5 km", "5 miles"),
        ("5 km", "5 kg"),
        ("$5", "€5"),
        ("5 MW", "5 mW"),
        ("10:30", "1030"),
        ("1/2", "12"),
        ("1939-45", "193945"),
        ("3rd", "3"),
        ("20 July 1969", "21 July 1969"),
        ("July 1969", "1969"),
        ("the 1960s", "1960"),
        ("44 BC", "44"),
        ("007", "7"),
        ("1e99", "1e98"),
        ("C++", "C"),
        ("$5 km", "$5"),
        ("$3 m", "$3"),
        ("Python 3.10", "Python 3.1"),
        ("early 1960s", "late 1960s"),
        ("BBB-", "BBB"),
        ("-π", "π"),
        ("C#", "C"),
        ("vitamin A", "vitamin"),
        ("Apollo 11", "Apollo 1"),
        ("12345678901234567", "12345678901234568"),
    ],
)
def test_what_looks_alike_is_not_the_same(one: str, other: str) -> None:
    assert not same_answer(one, other)
    assert not same_answer(other, one)


@given(TEXTS)
def test_an_answer_is_the_same_as_itself(answer: str) -> None:
    assert same_answer(answer, answer)


@given(TEXTS, TEXTS)
def test_it_does_not_matter_which_answer_comes_first(one: str, other: str) -> None:
    assert same_answer(one, other) is same_answer(other, one)


@given(NUMBERS, NUMBERS, st.sampled_from(["", " m", " kg", "%", " years"]))
def test_numbers_are_the_same_if_they_are_equal(one: Decimal, other: Decimal, unit: str) -> None:
    assert same_answer(f"{one}{unit}", f"{other}{unit}") is (one == other)
    assert same_answer(f"{one}{unit}", str(other)) is (one == other)


@given(NUMBERS, st.sampled_from([" m", " km", " kg", " years", "%", " dollars"]))
def test_a_number_is_the_same_however_it_is_formatted(number: Decimal, unit: str) -> None:
    variants = [f"{number}", f"{number:,}", f"{number}00", f"{number:,}".replace("-", "−"), f"**{number}**."]
    variants += [f"{variant}{unit}" for variant in (f"{number}", f"{number:,}")]
    assert all(len(places) == len(variants) for places in agreeing(variants))


@given(st.integers(1, 28), st.integers(1, 12), st.integers(1000, 2999))
def test_a_date_is_the_same_however_it_is_written(day: int, month: int, year: int) -> None:
    name = "January February March April May June July August September October November December".split()[month - 1]
    variants = [f"{day} {name} {year}", f"{name} {day}, {year}", f"{year}-{month:02}-{day:02}"]
    variants.append(f"{name[:3]} {day} {year}")
    assert all(len(places) == len(variants) for places in agreeing(variants))
    assert not same_answer(variants[0], f"{day} {name} {year + 1}")


@pytest.mark.parametrize("part", ["9", "1,", "one ", "1,111", "-.", "'’ ", "1.", "0.0", "a the ", "第", "$-"])
def test_hostile_answers_take_no_longer_than_their_length_allows(part: str) -> None:
    """With a pattern that tries every length at every place, these would take minutes."""
    assert same_answer(part * 50_000, part * 50_000)
    assert not same_answer(part * 50_000, part * 50_000 + "b")


def test_votes_of_one_number_in_several_forms_count_together() -> None:
    assert majority(["450", "452 metres", "452", "450 m", "452 m"]) == 1
    assert majority(["5", "-5", "-5"]) == 1


@pytest.mark.parametrize(
    ("one", "other", "apart"),
    [
        ("1889", "1887", True),
        ("two", "3", True),
        ("31 March 1889", "1 April 1889", True),
        ("1889", "31 March 1889", False),
        ("8,849 m", "8,848.86 m", False),
        ("1 million", "1,023,000", False),
        ("5 km", "5 miles", False),
        ("Paris", "Lyon", False),
    ],
)
def test_values_that_cannot_both_be_right(one: str, other: str, apart: bool) -> None:
    assert exclude(one, other) is exclude(other, one) is apart


def test_a_unit_more_is_another_quantity() -> None:
    assert not same_quantity("50", "50%")
    assert not same_quantity("5", "5 kg")
    assert same_quantity("508 m", "508 metres")
