"""What ground compares: the same words in any form, however many there are."""

import asyncio
import threading
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from errata.nodes import following
from errata.nodes.following import Vocabulary, names_of, same, units
from errata.nodes.ground.gather import gather, shown_with
from errata.state import Context
from errata.state.text.segments import passages
from errata.tools import evidence

from ..growth import growth, repeated

WORDS = st.text("가나다시장은이 aBc12,", min_size=1, max_size=14)
PASSAGES = ["The ferry left Skorn in 1906.", "It was late.", "Nobody saw it."]


@given(WORDS, WORDS)
@example("시장은", "시장이 열린다")
def test_a_vocabulary_has_what_is_the_same_as_one_of_its_words(words: str, text: str) -> None:
    vocabulary = Vocabulary(text)
    for unit in units(words):
        assert (unit.text in vocabulary) == any(same(unit.text, other.text) for other in units(text))


def shown(kind: str) -> Callable[[int], Any]:
    def make(size: int) -> Any:
        text = repeated(kind)(size)
        return passages(text, 1_000), [evidence(query="", text=text), evidence(query="", text=text[::-1], title=text)]

    return make


@pytest.mark.parametrize("kind", ["The ferry left Skorn in 1905. ", "A. ", "시장은 열린다. ", "가", "# a\n\nB c.\n\n"])
def test_choosing_what_passages_are_shown_with_reads_each_piece_once(kind: str) -> None:
    def choose(given: Any) -> None:
        found, pieces = given
        list(shown_with(found, pieces, room=1_000_000))

    assert not growth(shown(kind), choose, 10_000, 0.5)


async def test_comparing_ends_with_the_run(monkeypatch: pytest.MonkeyPatch) -> None:
    looked_at: list[str] = []
    begun, goes_on, ended = threading.Event(), threading.Event(), threading.Event()

    def look(passage: str, *_: Any) -> list[Any]:
        looked_at.append(passage)
        begun.set()
        goes_on.wait()
        if len(looked_at) == len(PASSAGES):
            ended.set()
        return []

    monkeypatch.setitem(gather.__globals__, "_chosen_for", look)
    state: Any = {"passages": PASSAGES, "references": ["The ferry left Skorn in 1905."], "found": []}
    run = asyncio.create_task(gather(state, Context()))
    await asyncio.to_thread(begun.wait)
    run.cancel()
    with pytest.raises(asyncio.CancelledError):
        await run
    goes_on.set()
    await asyncio.to_thread(ended.wait, 1)
    assert looked_at == PASSAGES[:1]


def test_only_sentences_are_kept_in_memory() -> None:
    before = following._units_of_sentence.cache_info().currsize
    assert len(units("ferry " * 10_000)) == 10_000
    assert following._units_of_sentence.cache_info().currsize == before


def test_a_day_or_a_month_is_no_name_that_evidence_must_have() -> None:
    assert names_of("The museum opened in 1951. Entry is free on Mondays and in May.") == frozenset()
    assert names_of("The museum in Skorn opened in May.") == {"skorn"}
