"""What is read out of evidence as the answer: nothing, unless a statement clearly gives it."""

import pytest

from errata.models.rules.observed import Piece
from errata.models.rules.reading import read_out

PRIZE = "Ann Lee beat Tom Marsh in the final in 1972."
HEATER = "The warranty lasts three years. The filter should be cleaned every two weeks. It is made in Linz."
MINUTES = "Present: Ruth Kane (chair), Lena Vogt (secretary), and 27 members."


def answer(question: str, evidence: str, title: str = "") -> str:
    """The answer; empty if there is none."""
    reading = read_out(question, [Piece(title, evidence)])
    return reading.answer if reading else ""


@pytest.mark.parametrize(
    ("question", "evidence", "right"),
    [
        ("Who beat Tom Marsh?", PRIZE, "Ann Lee"),
        ("Who beat Ann Lee?", PRIZE, ""),
        ("Who did Ann Lee beat?", PRIZE, "Tom Marsh"),
        ("Who did Tom Marsh beat?", PRIZE, ""),
        ("Who was beaten by Ann Lee?", PRIZE, "Tom Marsh"),
        ("Who succeeded Ann Lee?", "The director is Ann Lee, who succeeded Tom Marsh in 2019.", ""),
        ("Who designed the Orm Bridge?", "The Orm Bridge was designed by Ann Lee.", "Ann Lee"),
    ],
)
def test_who_did_it_is_told_from_who_it_was_done_to(question: str, evidence: str, right: str) -> None:
    assert answer(question, evidence) == right


@pytest.mark.parametrize(
    ("question", "evidence"),
    [
        ("When was Ann Lee beaten?", PRIZE),
        ("When did Tom Marsh beat Ann Lee?", PRIZE),
        ("When did the Halden Museum open?", "The Halden Museum opened a new wing in 2011."),
        ("When did the Halden Museum close?", "The Halden Museum was opened in 1908."),
    ],
)
def test_the_time_of_another_deed_is_no_answer(question: str, evidence: str) -> None:
    assert answer(question, evidence) == ""


@pytest.mark.parametrize(
    ("question", "evidence"),
    [
        ("Who never won the Orm Prize?", "Ann Lee won the Orm Prize in 1972."),
        ("Who did not design the Orm Bridge?", "The Orm Bridge was designed by Ann Lee."),
        ("Who won the Orm Prize most often?", "Ann Lee often won the Orm Prize."),
        ("Who won the Orm Prize?", "Ann Lee and Tom Marsh won the Orm Prize."),
        ("How long is the warranty of the filter?", HEATER),
        ("How many members does the association have?", f"Minutes of the association. {MINUTES}"),
    ],
)
def test_what_does_not_clearly_answer_is_no_answer(question: str, evidence: str) -> None:
    assert answer(question, evidence) == ""


@pytest.mark.parametrize(
    ("question", "evidence", "right"),
    [
        ("When did the Halden Museum open?", "The Halden Museum first opened to visitors in 1908.", "1908"),
        ("How many vets does the Orm Clinic employ?", "The Orm Clinic employs four vets and nine nurses.", "four"),
        ("When did Ann Lee receive the patent?", "Ann Lee received the first patent for it on 7 March 1876.", "1876"),
    ],
)
def test_a_clear_answer_is_read(question: str, evidence: str, right: str) -> None:
    assert right in answer(question, evidence)
