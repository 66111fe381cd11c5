"""Research: pages are cut into windows as published."""

import re
import threading
from importlib import import_module
from typing import Any

import pytest

from errata.nodes.research import best_windows, cut_page, searching
from errata.state import Context

from ..fakes import FakeSearch


def windows(page: str) -> list[str]:
    return [window.text for window in cut_page(page, 0)]


def test_windows_are_four_sentences_and_move_on_by_one() -> None:
    page = " ".join(f"Sentence {number}." for number in range(6))
    assert windows(page) == [" ".join(f"Sentence {n}." for n in range(first, first + 4)) for first in range(3)]


def test_a_heading_without_end_is_not_repeated_in_every_window() -> None:
    page = f"# {'Very ' * 10_000}\n\n" + " ".join(f"Sentence {number}." for number in range(50))
    assert sum(map(len, windows(page))) < 2 * len(page)


def test_a_short_page_is_one_window_and_an_empty_one_none() -> None:
    assert windows("One. Two.") == ["One. Two."]
    assert windows("") == windows(" \n ") == []


def test_long_sentences_are_dropped() -> None:
    assert windows(f"One. {'menu ' * 60}end. Two.") == ["One. Two."]


def test_only_the_first_thirty_windows_of_a_page_are_looked_at() -> None:
    assert len(windows(" ".join(f"Sentence {number}." for number in range(100)))) == 30


PAGE = """Towers

Towers are tall. They are narrow. People build them. Some are old. The first was of clay.

Height

The Tall Tower is 330 metres high. It sways. It is red. It has three floors. It is lit.
Visitors
Each year 6,000,000 people come. They queue. They pay. They climb. They leave."""


def test_no_window_crosses_a_heading_and_each_begins_with_its_own() -> None:
    found = windows(PAGE)
    headings = [window.partition("\n\n")[0] for window in found]
    assert headings == ["Towers", "Towers", "Height", "Height", "Visitors", "Visitors"]
    assert not any("330 metres" in window and ("clay" in window or "people come" in window) for window in found)
    assert found[2].startswith("Height\n\nThe Tall Tower is 330 metres high.")


def test_a_page_that_fits_is_shown_whole() -> None:
    assert [window.text for window in cut_page(PAGE, len(PAGE))] == [PAGE]
    assert len(cut_page(PAGE, len(PAGE) - 1)) > 1


MODEL = "openai:gpt-5-mini"
WEATHER = "is about the weather, which is as it was on the day before, and as it will be on the day after this one."
FAR = " ".join(
    [
        "The Nile is 6,650 km long.",
        *(f"Sentence {n} {WEATHER}" for n in range(22)),
        "The Amazon is 6,400 km long.",
    ]
)


@pytest.mark.parametrize(
    ("settings", "page"),
    [
        ({}, "The Nile is 6,650 km long. It is in Africa. It is old. It is wide. The Amazon is 6,400 km long."),
        ({"windows_per_page": 2}, FAR),
    ],
    ids=["a short page", "windows of a long one"],
)
async def test_both_facts_of_a_comparison_are_in_one_piece(settings: Any, page: str) -> None:
    """Windows of four sentences never hold both."""
    query = "Is the Nile longer than the Amazon?"
    assert not any("6,650" in window and "6,400" in window for window in windows(page))
    search = FakeSearch(find=lambda query: [("Rivers", page), ("Lakes", "Lakes are not rivers.")])
    (piece,) = await best_windows(query, Context(model=MODEL, search=search, cache=False, **settings))
    assert "The Nile is 6,650 km long." in piece["text"]
    assert "The Amazon is 6,400 km long." in piece["text"]
    assert len(piece["text"]) < len(FAR) / 2


async def test_windows_of_a_page_that_are_kept_share_no_sentence() -> None:
    page = " ".join(f"Fact {number} is about the Nile." for number in range(90))
    search = FakeSearch(find=lambda query: [page])
    (piece,) = await best_windows("the Nile", Context(search=search, cache=False, windows_per_page=3))
    said = re.findall(r"Fact \d+", piece["text"])
    assert len(said) == len(set(said)) == 12
    assert said == sorted(said, key=lambda fact: int(fact.split()[1])), "in the order of the page"


async def test_equal_text_of_several_pages_is_one_piece() -> None:
    text = "The Nile is 6,650 km long."
    search = FakeSearch(find=lambda query: [("Nile", text), ("Nile", text), ("The Nile", text)])
    assert len(await best_windows("How long is the Nile?", Context(search=search, cache=False, max_evidence=5))) == 1


async def test_what_reads_little_is_shown_windows() -> None:
    page = " ".join(f"Fact {number} is about the Nile." for number in range(9))
    search = FakeSearch(find=lambda query: [page])
    for settings, sentences in (({}, 9), ({"editor_model": "some/editor"}, 4), ({"whole_page_chars": 0}, 4)):
        (piece,) = await best_windows("the Nile", Context(model=MODEL, search=search, cache=False, **settings))
        assert piece["text"].count("Fact") == sentences
    (piece,) = await best_windows("the Nile", Context(search=search, cache=False))
    assert piece["text"].count("Fact") == 8, "without a chat model rules read it, two windows of four sentences"


@pytest.mark.parametrize("by_name", [True, False])
async def test_only_a_search_that_may_read_a_folder_takes_a_thread(
    monkeypatch: pytest.MonkeyPatch, by_name: bool
) -> None:
    made: list[str] = []
    research: Any = import_module("errata.nodes.research")  # the package has a function of that name
    make = research.search_tool

    def noted(context: Context, paragraphs: Any = ()) -> Any:
        made.append(threading.current_thread().name)
        return make(context, paragraphs)

    monkeypatch.setattr(research, "search_tool", noted)
    await searching(Context(search=["local", FakeSearch()] if by_name else FakeSearch()))
    assert (made == [threading.current_thread().name]) is not by_name
