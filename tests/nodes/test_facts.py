"""What evidence bears out: a statement whose names and numbers it has."""

import pytest

from errata.nodes.facts import adds, bear_out, has_facts, says
from errata.tools import evidence

TOWER = evidence(query="tower", title="Eiffel Tower", text="The tower in Paris was completed in 1889; it is of iron.")


@pytest.mark.parametrize(
    ("text", "says_all"),
    [
        ("The tower was completed in 1889.", True),
        ("The tower was completed in 1889 by Gustave Eiffel.", False),
        ("The tower was completed on 31 March 1889.", False),
        ("The tower of Louise Eiffel was completed in 1889.", False),
        ("The tower has 7 floors and was completed in 1889.", False),
    ],
)
def test_what_is_borne_out_has_no_fact_that_nothing_found_says(text: str, says_all: bool) -> None:
    assert has_facts(text, "When was the tower completed?", [TOWER]) is says_all


def test_several_pieces_bear_out_a_sentence_together() -> None:
    height = evidence(query="height", title="Eiffel Tower", text="It is 330 metres high.")
    sentence = "The tower was completed in 1889 and is 330 metres high."
    assert bear_out([TOWER, height], sentence, "")
    assert not bear_out([TOWER], sentence, "")


def test_a_whole_sentence_is_borne_out_word_for_word() -> None:
    for material, stands in (("iron", True), ("wood", False)):
        sentence = f"The tower was completed in 1889 and is of {material}."
        assert bear_out([TOWER], sentence, "")
        assert bear_out([TOWER], sentence, "", whole=True) is stands


def test_what_is_about_something_else_bears_nothing_out() -> None:
    assert not bear_out([TOWER], "Coffee keeps people awake.", "")
    assert not bear_out([], "The tower is tall.", "")


@pytest.mark.parametrize(
    ("words", "stand"),
    [
        ("In 1889.", True),
        ("It was finished in 1889, of iron", True),
        ("yes", True),
        ("in Lyon", False),
        ("in 1899", False),
        ("of brass", False),
    ],
)
def test_what_evidence_says_is_in_it(words: str, stand: bool) -> None:
    assert says(TOWER, words, "When was the tower completed, of what?") is stand


KEEPER = evidence(
    query="lighthouse",
    title="Skarn Lighthouse",
    text="Tobias Greeve designed it in 1861. The last keeper, Agnes Morrow, left in 1987.",
)


@pytest.mark.parametrize(
    ("words", "asked", "stand"),
    [
        ("Tobias Greeve", "Who designed Skarn Lighthouse?", True),
        ("Agnes Morrow", "Who designed Skarn Lighthouse?", False),
        ("In 1861.", "When was Skarn Lighthouse designed?", True),
        ("In 1987.", "When was Skarn Lighthouse designed?", False),
        ("It was designed in 1861, and left in 1987.", "What happened to Skarn Lighthouse when it was left?", False),
        ("Skarn Lighthouse", "What did Tobias Greeve design?", True),
    ],
)
def test_an_answer_stands_beside_a_word_of_its_question(words: str, asked: str, stand: bool) -> None:
    assert says(KEEPER, words, asked) is stand


@pytest.mark.parametrize(
    ("longer", "shorter", "is_more"),
    [
        ("In 1962 in Skorn.", "In 1962.", True),
        ("The museum of Skorn opened in May 1950.", "the museum opened in 1950", True),
        ("In 1962 or 1963.", "In 1962.", False),
        ("Not in 1962.", "In 1962.", False),
        ("All pupils but one passed.", "All pupils passed.", False),
        ("About four ferries.", "Four ferries.", False),
        ("112 euros.", "12 euros.", False),
        ("In Skorn.", "In 1962.", False),
        ("In Skorn.", "", False),
    ],
)
def test_words_may_say_the_same_and_more(longer: str, shorter: str, is_more: bool) -> None:
    assert adds(longer, shorter) is is_more
