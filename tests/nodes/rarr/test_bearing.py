"""The label of a gate is borne out by the words of both sides, or it is neutral."""

from typing import Any

import pytest

from errata.models.tasks.correction import Agreement, AgreementInput
from errata.nodes.rarr.bearing import earned
from errata.tools import evidence

from ...growth import growth


def label(text: str, query: str, found: tuple[str, str], text_says: str, evidence_says: str) -> str:
    """The label that a contradiction keeps."""
    piece = evidence(query=query, title=found[0], text=found[1])
    compared = AgreementInput(text=text, query=query, evidence=found[1], title=found[0])
    said = Agreement(text_says=text_says, evidence_says=evidence_says, label="contradiction")
    return earned(said, compared, piece).label


CLUB = (
    "Harle Rowing Club",
    "Harle Rowing Club was founded in 1896 by dock workers. It won the Moss Cup in 1977, with Nora Flint in the boat.",
)


@pytest.mark.parametrize(
    ("query", "text_says", "evidence_says", "label_kept"),
    [
        ("Who won the Moss Cup for Harle?", "Delia Marr", "Nora Flint", "contradiction"),
        ("Who was in the Harle Rowing Club?", "Delia Marr", "Harle Rowing Club", "neutral"),  # it repeats the question
        ("Was it the Moss Cup or the Harle Cup?", "the Harle Cup", "the Moss Cup", "contradiction"),
        ("Who won the Moss Cup?", "Delia Marr of the Harle Rowing Club", "Delia Marr", "neutral"),  # it says less
        ("Who won the Moss Cup?", "Delia Marr", f"{CLUB[1]} It has a boathouse.", "neutral"),  # it copies
        ("Who won the Moss Cup?", "Delia Marr", "Delia Marr of Harle won the Moss Cup", "neutral"),  # as the text does
    ],
)
def test_a_contradiction_is_between_answers(query: str, text_says: str, evidence_says: str, label_kept: str) -> None:
    text = "In 1976 Delia Marr of Harle Rowing Club won the Moss Cup."
    assert label(text, query, CLUB, text_says, evidence_says) == label_kept


@pytest.mark.parametrize(
    ("text", "found", "label_kept"),
    [
        ("The hall of Kessmar has a window by Ilse Hartwen.", CLUB, "neutral"),
        ("The hall of Kessmar has a window by Ilse Hartwen.", ("Kessmar", "Tobias Greeve made it."), "contradiction"),
        ("The engineer was Ilse Hartwen.", ("Skarn", "Tobias Greeve was the engineer."), "contradiction"),
        (
            "The hall has a window by Hartwen.",
            ("Hall", "Tobias Greeve made it."),
            "contradiction",
        ),  # the only name may be wrong
        ("The hall of Kessmar has a window by Ilse Hartwen.", ("大厅", "大厅的窗户是别人做的。"), "contradiction"),
    ],
)
def test_evidence_about_something_else_contradicts_nothing(text: str, found: tuple[str, str], label_kept: str) -> None:
    assert label(text, "Who designed it?", found, "Hartwen", "Tobias Greeve") == label_kept


@pytest.mark.parametrize(
    ("said", "found", "label_kept"),
    [
        (("York", "New York"), "Its capital is New York.", "contradiction"),
        (("the Harle", "the Harle Sea"), "It flows into the Harle Sea.", "contradiction"),
        (("1900", "1900 BC"), "It was founded in 1900 BC.", "contradiction"),
        (("Delia Marr and Nora Flint", "Nora Flint"), "It stars only Nora Flint.", "contradiction"),
        (("1900", "1910"), "It was founded in 1910.", "contradiction"),
        (("1900", "1910"), "It has lifts.", "neutral"),
        (("1900 people", "32 km"), "It is 32 km long.", "contradiction"),  # people are no unit
        (("5 hours", "32 km"), "It is 32 km long.", "neutral"),
        (("1900", "The evidence does not mention when."), "It has lifts.", "neutral"),
        (("Ada Marr", "Nora Flint"), "It is by Nora Flint.", "contradiction"),  # a fuller name than that of the text
    ],
)
def test_other_words_are_not_the_same_and_more(said: tuple[str, str], found: str, label_kept: str) -> None:
    text = "York, 5 hours from the Harle, was founded in 1900 by 1900 people, and stars Delia Marr and Nora Flint."
    assert label(text, "What is said of it?", ("York", found), *said) == label_kept


def test_a_judge_that_quotes_a_long_sentence_is_heard() -> None:
    found = f"The mill, {'which is old and, as everybody knows, large, ' * 8}was never open on any day of the week."
    assert label("The mill is open.", "Is it open?", ("Mill", found), "The mill is open.", found) == "contradiction"


def test_a_sentence_that_is_looked_up_as_it_stands_is_no_question_to_repeat() -> None:
    text = "Harle Rowing Club won the Moss Cup, and lost the Harle Cup."
    found = ("Harle Rowing Club", "Harle Rowing Club lost the Moss Cup.")
    assert label(text, text, found, "Harle Rowing Club won the Moss Cup", found[1]) == "contradiction"


def test_a_copied_text_takes_no_time() -> None:
    def copied(size: int) -> str:
        return "".join(chr(0x4E00 + number * 7 % 300) for number in range(size))

    assert not growth(copied, lambda text: label(text, "何时?", ("塔", text), text, text), 1_000)


def test_a_contradiction_that_rules_find_stands_whatever_was_said() -> None:
    text = "The mill was built in 1887."
    assert label("The mill was built in 1889.", "When was the mill built?", ("Mill", text), "1889", "1889") == (
        "contradiction"
    )


@pytest.mark.parametrize(
    ("text_says", "evidence_says", "said", "label"),
    [
        ("1889", "1887", "entailment", "neutral"),
        ("in 1889", "on 31 March 1889", "entailment", "entailment"),
        ("about 8,849 m", "8,848.86 metres", "entailment", "entailment"),
        ("20 July 1969", "July 20, 1969", "contradiction", "neutral"),
        ("1889", "1887", "contradiction", "contradiction"),
        ("In 1889.", "In 1889 in Paris.", "contradiction", "neutral"),
        ("In 1889.", "Not in 1889.", "contradiction", "contradiction"),
        ("In 1901.", "In 1887.", "contradiction", "neutral"),
        ("Lord Byron.", "Eiffel.", "contradiction", "neutral"),
        ("Nobody.", "Eiffel.", "contradiction", "contradiction"),
        ("1889", "It does not say.", "entailment", "neutral"),
        ("...", "...", "entailment", "neutral"),
        ("in Lyon", "in Lyon", "entailment", "neutral"),
        ("of brass", "of brass", "entailment", "neutral"),
        ("yes", "yes", "entailment", "entailment"),
    ],
)
def test_what_the_two_sides_say_has_to_bear_the_label_out(
    text_says: str, evidence_says: str, said: Any, label: str
) -> None:
    text = "Completed on 31 March 1889; Mount Everest has 8,848.86 metres. Landed on July 20, 1969. In 1887, by Eiffel."
    piece = evidence(query="tower", title="Towers", text=text)
    query = "When was it completed, or landed on, and how many metres high is it?"
    compared = AgreementInput(text="It has stood since 1889.", query=query, evidence=text, title="Towers")
    agreement = Agreement(text_says=text_says, evidence_says=evidence_says, label=said)
    assert earned(agreement, compared, piece).label == label


def test_agreement_is_not_taken_where_rules_find_a_contradiction() -> None:
    text = "The mill was built in 1887."
    query = "When was the mill built?"
    piece = evidence(query=query, title="Mill", text=text)
    compared = AgreementInput(text="The mill was built in 1889.", query=query, evidence=text, title="Mill")
    told = earned(Agreement(text_says="the mill", evidence_says="the mill", label="entailment"), compared, piece)
    assert (told.label, told.evidence_says) == ("contradiction", text)


@pytest.mark.parametrize(
    ("text_says", "evidence_says", "label_kept"),
    [
        ("Zoe Kay", "Zoë Kay", "neutral"),
        ("Zoe Kay", "not Zoë Kay", "contradiction"),
        ("Zoe Kay", "Joe Kay", "contradiction"),
        ("Zoe Kay came", "Zoë Kay left", "contradiction"),
        ("Austria", "Australia", "contradiction"),
        ("Niger", "Nigeria", "contradiction"),
        ("Maria Marr", "Mario Marr", "contradiction"),
        ("King John", "Pope John", "contradiction"),
        ("Martin King Sr.", "Martin King Jr.", "contradiction"),
        ("100 members", "70 members", "contradiction"),
        ("100 members", "more than 100 members", "contradiction"),
    ],
)
def test_a_name_without_its_accent_is_the_same_and_one_that_is_only_alike_is_not(
    text_says: str, evidence_says: str, label_kept: str
) -> None:
    query = "Which club was it?"
    found = ("Harle", f"They told us: {evidence_says}, of the club in Harle.")
    assert (
        label(f"They told us: {text_says}, of the club in Harle.", query, found, text_says, evidence_says) == label_kept
    )


@pytest.mark.parametrize(
    ("query", "kept"),
    [
        ("Did Harle Rowing Club win the Moss Cup in 1977?", "entailment"),
        ("Did Harle Rowing Club win the Moss Cup in 1976?", "neutral"),
        ("Was Delia Marr in the boat?", "neutral"),
        ("Is it raining in winter, and are there many sheep?", "neutral"),
    ],
)
def test_yes_says_what_was_asked_and_the_evidence_has_to_say_that_too(query: str, kept: str) -> None:
    piece = evidence(query=query, title=CLUB[0], text=CLUB[1])
    compared = AgreementInput(text="The club has won it.", query=query, evidence=CLUB[1], title=CLUB[0])
    assert earned(Agreement(text_says="Yes.", evidence_says="Yes.", label="entailment"), compared, piece).label == kept
