"""Answers to questions that the shipped corpus answers: right ones stay, wrong ones are mostly corrected."""

import pytest

from errata.models.rules import qa_critique, react
from errata.models.tasks.critic import Conclusion
from errata.state.text.answers import read_answer

from .dialogue import (
    QUESTIONS,
    Row,
    asked,
    concluded,
    holds,
    of_draft,
    outcome,
    right_drafts,
    used,
    wrong_drafts,
    yes_no_drafts,
)

ROWS = QUESTIONS["at_hand"] + QUESTIONS["held_out"]
WHETHER = QUESTIONS["yes_or_no"]

ENOUGH_FIXED = {"at_hand": 0.75, "held_out": 0.54}


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row[0])
def test_a_right_answer_is_never_made_wrong(row: Row) -> None:
    question, gold, *_ = row
    for text in right_drafts(row):
        conclusion = concluded(qa_critique, question, text)
        assert holds(conclusion.answer, gold)
        assert holds(read_answer(conclusion.text), gold)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row[0])
def test_a_wrong_answer_is_never_accepted_nor_replaced_by_another_wrong_one(row: Row) -> None:
    question, gold, *_ = row
    for text in wrong_drafts(row).values():
        conclusion = concluded(qa_critique, question, text)
        assert not conclusion.accepted
        became = outcome(read_answer(text), conclusion.answer, gold)
        assert became in ("fixed", "left")
        assert holds(read_answer(conclusion.text), gold) == (became == "fixed")


@pytest.mark.parametrize("group", ENOUGH_FIXED)
@pytest.mark.parametrize("kind", list(wrong_drafts(ROWS[0])))
def test_wrong_answers_are_mostly_corrected(group: str, kind: str) -> None:
    found = [of_draft(row[0], wrong_drafts(row)[kind], row[1]) for row in QUESTIONS[group]]
    assert found.count("fixed") >= ENOUGH_FIXED[group] * len(found)


@pytest.mark.parametrize("row", WHETHER, ids=lambda row: row[0])
def test_a_right_yes_or_no_stays(row: Row) -> None:
    assert {of_draft(row[0], text, [row[1]]) for text in yes_no_drafts(row, row[1])} == {"kept"}


def test_without_a_draft_the_answer_is_read_out_or_there_is_none() -> None:
    conclusions = [(concluded(react, row[0]), row[1]) for row in ROWS]
    for conclusion, gold in conclusions:
        if conclusion.answer:
            assert holds(conclusion.answer, gold)
            assert read_answer(conclusion.text) == conclusion.answer
        else:
            assert (conclusion.text, conclusion.accepted) == ("", False)
    assert sum(bool(conclusion.answer) for conclusion, _ in conclusions) >= 0.65 * len(conclusions)


def judged(question: str, text: str, *evidence: str) -> Conclusion:
    messages = [message for told in evidence for message in used("search", told, told)]
    turn = qa_critique(asked(text, question, answer=read_answer(text), messages=messages, last=True))
    assert turn.conclusion is not None
    return turn.conclusion


BRIDGE = "[Tay Bridge] The Tay Bridge was opened in 1887. It was designed by William Barlow. It is 3,264 metres long."


def test_what_bears_an_answer_out_is_quoted() -> None:
    conclusion = judged("Who designed the Tay Bridge?", "So the answer is: Barlow.", BRIDGE)
    assert conclusion.accepted
    assert "It was designed by William Barlow." in conclusion.correctness
    assert (conclusion.text, conclusion.answer) == ("So the answer is: Barlow.", "Barlow")


def test_a_wrong_answer_is_replaced_with_its_sentence() -> None:
    conclusion = judged("Who designed the Tay Bridge?", "Thomas Bouch built bridges. So the answer is: Bouch.", BRIDGE)
    assert conclusion.text == "It was designed by William Barlow. So the answer is: William Barlow."
    assert (conclusion.answer, conclusion.accepted) == ("William Barlow", False)


def test_an_answer_of_the_wrong_kind_is_replaced() -> None:
    conclusion = judged("How long is the Tay Bridge?", "So the answer is: Dundee.", BRIDGE)
    assert conclusion.answer == "3,264 metres"


@pytest.mark.parametrize(
    ("question", "answer", "evidence"),
    [
        ("How long is the Tay Bridge?", "2.03 miles", BRIDGE),
        ("How long is the Tay Bridge?", "3264", BRIDGE),
        ("When was the Tay Bridge opened?", "in the 1880s", BRIDGE),
        ("When was the Tay Bridge opened?", "20 June 1887", BRIDGE),
        ("Who designed the Tay Bridge?", "the engineer William Henry Barlow", BRIDGE),
        ("Where was Alan Turing born?", "England", "[Alan Turing] Alan Turing was born in London in 1912."),
        ("Who climbed it first, on 29 May 1953?", "Tenzing Norgay", "[Everest] Hillary and Tenzing Norgay climbed it."),
        ("Who was the second person to walk on it?", "Aldrin", "[Moon] Armstrong was the first person to walk on it."),
    ],
)
def test_a_right_answer_in_other_words_stays(question: str, answer: str, evidence: str) -> None:
    assert judged(question, f"So the answer is: {answer}.", evidence).answer == answer


@pytest.mark.parametrize(
    ("question", "answer", "evidence"),
    [
        ("When was the Forth Bridge opened?", "1890", BRIDGE),
        ("How long is the Golden Gate Bridge?", "2.7 km", "[Golden Gate Bridge] The main span is 1,280 metres long."),
        ("Who designed the Statue?", "Bartholdi", "[Statue] Gustave Eiffel designed the iron framework of the Statue."),
        ("Who wrote Emma?", "Jane Austen", "[Emma] The film Emma was written by Douglas McGrath."),
        ("How many members has it now?", "193", "[It] It had 51 original members."),
        ("Who won the cup in 1998?", "France", "[Cup] Brazil won the cup in 1994."),
        ("Which city is it in?", "Perth", "[Tay Bridge] Nothing of the kind is in Dundee, said Mr Brown."),
        ("Who painted it?", "Monet", "Nothing was found."),
    ],
)
def test_evidence_about_something_else_changes_nothing(question: str, answer: str, evidence: str) -> None:
    text = f"It is well known. So the answer is: {answer}."
    conclusion = judged(question, text, evidence)
    assert (conclusion.text, conclusion.answer, conclusion.accepted) == (text, answer, False)


def test_pieces_that_disagree_decide_nothing() -> None:
    other = "[A guide] The Tay Bridge was opened in 1878."
    assert judged("When was the Tay Bridge opened?", "So the answer is: 1900.", BRIDGE, other).answer == "1900"


def test_a_number_that_was_cut_off_is_no_evidence() -> None:
    filler = "The Tay Bridge is often photographed by people who come to see it from near and far. " * 4
    cut = f"[Tay Bridge] {filler}The Tay Bridge is 3"
    assert judged("How many metres long is the Tay Bridge?", "So the answer is: 3,264.", cut).answer == "3,264"


def test_a_correction_of_the_text_is_carried_into_the_answer() -> None:
    said = "The Tay Bridge was opened in 1878. So the answer is: 1878."
    conclusion = judged("What do we know of the opening of the Tay Bridge?", said, BRIDGE)
    assert conclusion.text == "The Tay Bridge was opened in 1887. So the answer is: 1887."
    assert conclusion.answer == "1887"


def test_a_right_answer_keeps_its_place_while_the_rest_is_corrected() -> None:
    said = "The Tay Bridge was opened in 1878. It was designed by William Barlow. So the answer is: William Barlow."
    conclusion = judged("Who designed the Tay Bridge?", said, BRIDGE)
    assert conclusion.text == said.replace("1878", "1887")
    assert (conclusion.answer, conclusion.accepted) == ("William Barlow", False)
