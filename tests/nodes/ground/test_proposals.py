"""What a model's reply asks for, however it is written."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from errata.models.tasks.grounding import GroundedChange
from errata.nodes.ground.proposals import ANOTHER_TEXT, NOT_THERE, grouped, limit, named, rewritten, written
from errata.state.text.segments import sentences_of
from errata.state.text.spans import Change as Replacement
from errata.state.text.spans import put

from .states import OPENED, PAGE, RIGHT, TEXT, YEAR

LONG = 10_000


def proposed(before: str, after: str, quote: str = OPENED, evidence: Any = 1) -> GroundedChange:
    return GroundedChange.model_validate({"before": before, "after": after, "quote": quote, "evidence": evidence})


def made(text: str, changes: list[Any]) -> str:
    return put(text, [Replacement(one["start"], one["start"] + len(one["before"]), one["after"]) for one in changes])


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("1931", "1934"),
        ("was opened in 1931", "was opened in 1934"),
        ("“1931”", "“1934”"),
        ("The Sora Bridge was opened in 1931.", "The Sora Bridge was opened in 1934"),
        ("The Sora Bridge was opened in 1931", "The Sora Bridge was opened in 1934."),
        (TEXT, RIGHT),
    ],
)
def test_words_around_a_change_are_cut_to_what_differs(before: str, after: str) -> None:
    (one,) = named(TEXT, [proposed(before, after)], [PAGE], [], LONG)
    assert (one["start"], one["before"], one["after"]) == (YEAR, "1931", "1934")


@pytest.mark.parametrize(
    ("before", "after", "cut"),
    [
        ("is made of granite", "is not made of granite", ("is", "is not")),
        ("The Sora Bridge is", "Bridge is", ("The Sora Bridge", "Bridge")),
    ],
)
def test_where_words_are_only_added_or_left_out_one_beside_them_is_shown(
    before: str, after: str, cut: tuple[str, str]
) -> None:
    (one,) = named(TEXT, [proposed(before, after)], [PAGE], [], LONG)
    assert (one["before"], one["after"]) == cut


@pytest.mark.parametrize(
    "quote",
    [
        "“the Sora Bridge was opened in 1934”",
        "The Sora Bridge ... in 1934.",
        "The Sora Bridge was … made of granite",
        "The Bridge was opened in 1934",
    ],
)
@pytest.mark.parametrize("number", [1, "1", "[1]", "evidence 1", 7, None])
def test_a_quote_is_found_however_it_is_copied_and_numbered(quote: str, number: Any) -> None:
    (one,) = named(TEXT, [proposed("1931", "1934", quote, number)], [PAGE], [], LONG)
    assert one["evidence"] == PAGE["id"]
    assert one["quote"] in PAGE["text"]


@pytest.mark.parametrize(
    "quote", ["The Sora Bridge was closed in 1934.", "opened by the king", "It", "", "1934 … 1931"]
)
def test_words_that_the_evidence_does_not_have_are_no_quote(quote: str) -> None:
    (one,) = named(TEXT, [proposed("1931", "1934", quote)], [PAGE], [], LONG)
    assert (one["evidence"], one["quote"]) == ("", quote)


def test_of_overlapping_changes_the_larger_one_is_taken() -> None:
    changes = [proposed("1931", "1934"), proposed("opened in 1931", "finished in 1934"), proposed("in 1931", "in 1934")]
    (one,) = named(TEXT, changes, [PAGE], [], LONG)
    assert (one["before"], one["after"]) == ("opened in 1931", "finished in 1934")


def test_words_that_stand_in_several_sentences_are_changed_where_the_model_found_an_error() -> None:
    text = "The Sora Bridge was opened in 1931. The king came in 1931."
    label: Any = {"sentence": 0, "status": "unresolved", "evidence": PAGE["id"], "quote": OPENED}
    (one,) = named(text, [proposed("1931", "1934")], [PAGE], [label], LONG)
    assert one["start"] == YEAR


def test_words_that_are_not_there_are_refused() -> None:
    (one,) = named(TEXT, [proposed("1929", "1934")], [PAGE], [], LONG)
    assert one["refused"] == NOT_THERE


def test_the_bound_is_a_share_of_the_passage_or_a_sentence() -> None:
    assert limit(TEXT, 0.9) == int(0.9 * len(TEXT))
    assert limit(TEXT, 0.1) == max(map(len, sentences_of(TEXT)))
    (one,) = named(TEXT, [proposed(TEXT, "Boats sail by night.")], [PAGE], [], limit(TEXT, 0.1))
    assert "at most 35" in one["refused"]


REPLIES = [
    RIGHT,
    f"Here is the corrected version:\n\n{RIGHT}",
    f"Sure! Here is the corrected statement:\n{RIGHT}",
    f"```\n{RIGHT}\n```",
    f"Certainly.\n\n```text\n{RIGHT}\n```\n\nI changed the year.",
    RIGHT.replace("1934", "**1934**"),
    RIGHT.replace("1934", "~~1931~~ 1934"),
    f"{RIGHT}\n\n**Changes:**\n- 1931 → 1934, because the bridge was opened in 1934.",
    f"{RIGHT} It carries two lanes and a tramway to the harbour.",
]


@pytest.mark.parametrize("reply", REPLIES)
def test_what_stands_around_a_rewritten_passage_is_no_text(reply: str) -> None:
    (one,) = rewritten(TEXT, reply, LONG)
    assert (one["before"], one["after"], one["refused"]) == ("1931", "1934", "")


@pytest.mark.parametrize("reply", REPLIES[1:5])
def test_the_same_around_several_paragraphs(reply: str) -> None:
    text, right = (f"{one}\n\nIt is long." for one in (TEXT, RIGHT))
    assert written(reply.replace(RIGHT, right), text) == right


def test_all_that_was_rewritten_in_a_sentence_is_one_change() -> None:
    text = "In the cup they got past Marske before going out to Whitby. It was cold."
    (one,) = rewritten(text, "In the cup they got past Whitby before going out to Marske. It was cold.", LONG)
    assert one["before"] == "Marske before going out to Whitby"
    assert one["after"] == "Whitby before going out to Marske"


@pytest.mark.parametrize(
    ("text", "reply", "count"),
    [
        ("It was cold. Nobody came. We left.", "It was cold, so nobody came. We left.", 1),
        ("It was cold, so nobody came. We left.", "It was cold. Nobody came. We left.", 1),
        ("It was cold. Nobody came. We left.", "It was cold. We left.", 0),
        ("It was cold. We left.", "It was cold. Nobody came. We left.", 0),
        ("It was cold. We left at six.", "In May it was cold. At seven we left.", 2),
    ],
)
def test_sentences_may_be_joined_and_split_but_none_goes_or_comes(text: str, reply: str, count: int) -> None:
    changes = rewritten(text, reply, LONG)
    assert len(changes) == count
    assert made(text, changes) == (reply if count else text)


def test_a_reply_about_something_else_is_no_revision() -> None:
    assert {one["refused"] for one in rewritten(TEXT, "%%% blah ]]}} and so on", LONG)} == {ANOTHER_TEXT}


WORDS = st.lists(st.sampled_from("The Sora Bridge opened . , in 1931 1934 not It is \n\n ! ...".split(" "))).map(
    " ".join
)


@given(WORDS, WORDS)
def test_every_change_selects_its_words_and_none_overlaps(text: str, reply: str) -> None:
    changes = rewritten(text, reply, LONG)
    ends = [0, *(one["start"] + len(one["before"]) for one in changes)]
    for one, end in zip(changes, ends[:-1], strict=True):
        assert text[one["start"] :].startswith(one["before"])
        assert one["start"] >= end
    assert sum(len(group.changes) for group in grouped(text, changes)) == len(changes)
