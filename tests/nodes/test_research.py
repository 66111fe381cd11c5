"""Research: pages are cut into windows as published, and questions keep their order whichever search ends first."""

from typing import Any

from errata.nodes import pool
from errata.nodes.research import cut_windows
from errata.state import Context, Evidence
from errata.state.correction import Found
from errata.tools import evidence


def testcut_windows_are_four_sentences_and_move_on_by_one() -> None:
    page = " ".join(f"Sentence {number}." for number in range(6))
    assert cut_windows(page) == [" ".join(f"Sentence {n}." for n in range(first, first + 4)) for first in range(3)]


def test_a_short_page_is_one_window_and_an_empty_one_none() -> None:
    assert cut_windows("One. Two.") == ["One. Two."]
    assert cut_windows("") == cut_windows(" \n ") == []


def test_long_sentences_are_dropped() -> None:
    assert cut_windows(f"One. {'menu ' * 60}end. Two.") == ["One. Two."]


def test_only_the_first_thirtycut_windows_of_a_page_are_looked_at() -> None:
    assert len(cut_windows(" ".join(f"Sentence {number}." for number in range(100)))) == 30


def found(number: int, *texts: str, failed: str = "") -> Found:
    query = f"Question {number}?"
    pieces: list[Evidence] = [evidence(query=query, text=text, source="s") for text in texts]
    return {"question": {"number": number, "text": query, "passage": 0}, "evidence": pieces, "failed": failed}


async def test_checks_follow_the_questions() -> None:
    state: Any = {"found": [found(2, "c"), found(0, "a", "b"), found(1)]}
    pooled = await pool(state, Context())
    assert [check["question"] for check in pooled["checks"]] == [f"Question {n}?" for n in (0, 0, 1, 2)]
    assert [piece["text"] for piece in pooled["evidence"]] == ["a", "b", "c"]


async def test_finding_nothing_is_neutral_and_not_being_able_to_look_is_an_error() -> None:
    state: Any = {"found": [found(0), found(1, failed="the search is down")]}
    nothing, down = [check["verdict"] for check in (await pool(state, Context()))["checks"]]
    assert (nothing["label"], down["label"]) == ("neutral", "error")
    assert down["reason"] == "the search is down"
