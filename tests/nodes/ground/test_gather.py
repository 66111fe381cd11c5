"""Which evidence a passage is shown with."""

from errata.nodes.ground.gather import gather, shown_with
from errata.state import Context
from errata.state.text.segments import token_count
from errata.tools import evidence

from .states import PAGE, TEXT, grounding

CATS = evidence(query="", text="Cats sleep for most of the day.", title="Cats")


async def test_what_is_about_something_else_is_not_shown() -> None:
    references = ["Cats sleep for most of the day.", {"text": PAGE["text"], "title": "Sora Bridge", "source": "s"}]
    update = await gather(grounding(references=references, evidence=[]), Context())
    (piece,) = update["evidence"]
    assert (piece["title"], piece["source"]) == ("Sora Bridge", "s")
    (one,) = update["parts"]
    assert (one["text"], one["shown"], one["revised"], one["tries"]) == (TEXT, [piece["id"]], None, 0)


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


def test_as_many_pieces_are_shown_as_there_is_room_for_the_likest_first() -> None:
    vague = evidence(query="", text="The Sora Bridge is known to all people who live near it.", title="Sora Bridge")
    assert list(shown_with([TEXT], [vague, PAGE], 10_000)) == [[PAGE, vague]]
    room = token_count(PAGE["text"])
    assert list(shown_with([TEXT], [vague, PAGE], room)) == [[PAGE]]
