"""The start, and which evidence a passage is shown with."""

from typing import Any

import pytest
from langgraph.types import Overwrite

from errata.nodes.ground.gather import begin, gather, questions, shown_with
from errata.state import Context
from errata.state.errors import ConfigurationError
from errata.state.text.segments import token_count
from errata.tools import evidence

from ...fakes import Scripted
from .states import PAGE, TEXT, grounding

CATS = evidence(query="", text="Cats sleep all day.", title="Cats")


async def test_nothing_of_an_earlier_run_is_left_and_references_are_read() -> None:
    given: Any = {"text": "It is red.", "references": ["It is blue.", " "], "parts": ["old"], "cited": "old"}
    update = await begin(given, Context())
    assert (update["references"], update["parts"], update["cited"]) == (["It is blue."], [], "")
    assert update["found"] == Overwrite([])


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"text": "It is red.", "references": [" "]}, "the references are empty"),
        ({"text": "It is red.", "references": "It is blue."}, "references must be a list of texts"),
        ({"text": ""}, "there is nothing to check"),
    ],
)
async def test_what_cannot_be_grounded_is_refused(given: Any, said: str) -> None:
    with pytest.raises(ConfigurationError, match=said):
        await begin(given, Context())


async def test_one_round_is_asked() -> None:
    model = Scripted({"queries": ["When was it opened?"]})
    update = await questions(grounding(), Context(backends={"queries": model}, question_rounds=3))
    assert [each["text"] for each in update["questions"]] == ["When was it opened?"]
    assert (len(model.asked), update["quorum"]["rounds"]["asked"]) == (1, 1)


async def test_what_has_no_word_of_a_passage_is_not_shown() -> None:
    references = ["Cats sleep all day.", {"text": PAGE["text"], "title": "Sora Bridge", "source": "s"}]
    update = await gather(grounding(references=references, evidence=[]), Context())
    (piece,) = update["evidence"]
    assert (piece["title"], piece["source"]) == ("Sora Bridge", "s")
    (one,) = update["parts"]
    assert (one["text"], one["shown"], one["proposed"], one["tries"]) == (TEXT, [piece["id"]], [], 0)


async def test_what_was_found_comes_in_the_order_of_the_questions() -> None:
    def found(number: int, text: str) -> dict[str, object]:
        piece = evidence(query="q", text=text, title="Sora Bridge")
        return {"question": {"number": number, "text": "?", "passage": 0}, "evidence": [piece], "failed": ""}

    second, first = found(1, "The Sora Bridge is long."), found(0, "The Sora Bridge is wide.")
    update = await gather(grounding(found=[second, first], evidence=[]), Context())
    assert [piece["text"] for piece in update["evidence"]] == ["The Sora Bridge is wide.", "The Sora Bridge is long."]


async def test_without_evidence_every_passage_stands_alone() -> None:
    update = await gather(grounding(evidence=[]), Context())
    assert (update["evidence"], [one["shown"] for one in update["parts"]]) == ([], [[]])


def test_of_a_long_page_the_windows_are_shown_that_fit_and_are_like_the_passage() -> None:
    filler = " ".join(f"The Sora Bridge has lamp number {number}, which is lit at night." for number in range(200))
    page = evidence(query="", text=f"{filler} {PAGE['text']} {filler}", title="Sora Bridge")
    ((cut,),) = shown_with([TEXT], [page, CATS], 120)
    assert "opened in 1934" in cut["text"]
    assert token_count(cut["text"]) <= 120
    assert cut["title"] == "Sora Bridge"


def test_as_many_pieces_are_shown_as_there_is_room_for_in_their_own_order() -> None:
    vague = evidence(query="", text="The Sora Bridge is known to all people who live near it.", title="Sora Bridge")
    assert list(shown_with([TEXT], [vague, PAGE], 10_000)) == [[vague, PAGE]]
    room = token_count(PAGE["text"])
    assert list(shown_with([TEXT], [vague, PAGE], room)) == [[PAGE]]
