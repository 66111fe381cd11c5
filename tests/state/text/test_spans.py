"""Spans of edits: whatever was edited in whatever order, the pieces join to the original and to the final text."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from errata.state import Edit, replay, segments
from errata.state.text.spans import Segment, changes, cuts, find, whole
from errata.state.text.typography import reading

WORDS = st.text(alphabet="ab ", max_size=4)


def edit(before: str, after: str, start: int, applied: bool = True) -> Edit:
    return {
        "before": before,
        "after": after,
        "start": start,
        "end": start + len(before),
        "evidence": "e",
        "reason": "",
        "applied": applied,
    }


@st.composite
def histories(draw: st.DrawFn) -> tuple[str, list[Edit], str]:
    """An original, edits one after another, and the text that they lead to."""
    original = text = draw(st.text(alphabet="ab ", max_size=12))
    edits = []
    for _ in range(draw(st.integers(0, 6))):
        start = draw(st.integers(0, len(text)))
        end = draw(st.integers(start, len(text)))
        made = edit(text[start:end], draw(WORDS), start, applied=draw(st.booleans()))
        edits.append(made)
        if made["applied"]:
            text = text[:start] + made["after"] + text[end:]
    return original, edits, text


@given(histories())
def test_replaying_the_applied_edits_gives_the_text(history: tuple[str, list[Edit], str]) -> None:
    original, edits, text = history
    assert replay(original, edits) == text


@given(histories())
def test_segments_join_to_both_texts(history: tuple[str, list[Edit], str]) -> None:
    original, edits, text = history
    parts = segments(original, edits)
    assert "".join(part["before"] for part in parts) == original
    assert "".join(part["after"] for part in parts) == text


@given(histories())
def test_what_no_edit_touched_is_the_same_on_both_sides(history: tuple[str, list[Edit], str]) -> None:
    original, edits, _ = history
    parts = segments(original, edits)
    assert all(part["before"] == part["after"] for part in parts if not part["edits"])
    told = [number for part in parts for number in part["edits"]]
    assert len(told) == len(set(told)), "an edit is told of once"
    assert all(edits[number]["applied"] for number in told)
    # What the first edit took away is missed in the end, whatever came after it.
    first = next((number for number, made in enumerate(edits) if made["applied"]), None)
    assert first is None or not edits[first]["before"] or first in told


def test_a_place_edited_twice_is_one_segment() -> None:
    original = "built in 1899 in Lyon"
    edits = [edit("1899", "1889", 9), edit("Lyon", "Paris", 17), edit("1889 in", "May 1889, in", 9)]
    assert segments(original, edits) == [
        {"before": "built in ", "after": "built in ", "edits": []},
        {"before": "1899 in", "after": "May 1889, in", "edits": [0, 2]},
        {"before": " ", "after": " ", "edits": []},
        {"before": "Lyon", "after": "Paris", "edits": [1]},
    ]


def test_refused_edits_leave_no_trace() -> None:
    assert replay("abc", [edit("b", "x", 1, applied=False)]) == "abc"
    whole: Segment = {"before": "abc", "after": "abc", "edits": []}
    assert segments("abc", [edit("b", "x", 1, applied=False)]) == [whole]


def test_an_edit_that_does_not_fit_is_found_out() -> None:
    with pytest.raises(ValueError, match="1:2 does not select 'c'"):
        replay("abc", [edit("c", "x", 1)])


def changed(before: str, after: str) -> str:
    for change in reversed(changes(before, after)):
        before = before[: change.start] + change.after + before[change.end :]
    return before


PIECES = st.lists(st.sampled_from(["a", "b", "not", "1,889", " ", "\n\n", ".", "巴", "黎", "(", "-", '"']), max_size=9)


@given(before=PIECES.map("".join), after=PIECES.map("".join))
def test_changes_lead_from_one_text_to_the_other_but_for_white_space(before: str, after: str) -> None:
    assert "".join(changed(before, after).split()) == "".join(after.split())
    assert changes(before, before) == []


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ("It opened in 1899 in Lyon.", "It opened in 1889 in Paris.", [(13, 17, "1889"), (21, 25, "Paris")]),
        ("It is not so.", "It is so.", [(6, 10, "")]),
        ("It is so.", "It is not so.", [(6, 6, "not ")]),
        ('He said "Paris".', 'He said "not Paris".', [(9, 9, "not ")]),
        ("Jan van Eyck died.", "Peter van Dyck died.", [(0, 12, "Peter van Dyck")]),
        ("One.\n\nTwo  is 2.", "One. Two is 3.", [(14, 15, "3")]),
        ("a\n\nb\n\nc", "a c", [(3, 6, "")]),
        ("巴黎在英国", "巴黎在法国", [(3, 4, "法")]),
        ("In 1,889", "In 1,889.", [(8, 8, ".")]),
    ],
)
def test_changes_are_few_whole_words(before: str, after: str, expected: list[tuple[int, int, str]]) -> None:
    assert changes(before, after) == expected


TYPABLE = [
    "a",
    "b ",
    " ",
    "\u00a0",
    "\n",
    "'",
    "’",
    "-",
    "–",
    "…",
    "...",
    "1",
    "2",
    ",",
    ".",
    "京",
    "é",
    "e\u0301",
    "\u00ad",
]
TYPED = st.lists(st.sampled_from(TYPABLE), max_size=12).map("".join)


@given(TYPED, TYPED)
def test_what_is_found_reads_as_what_was_looked_for(text: str, words: str) -> None:
    for start, end in find(text, words):
        assert reading(text[start:end]).text.strip() == reading(words).text.strip()


@given(st.text("ab1.,-'é 京", max_size=20), st.integers(0, 20), st.integers(0, 20))
def test_a_stretch_of_the_text_is_found_in_it(text: str, start: int, end: int) -> None:
    words = text[start:end]
    assert bool(find(text, words)) == bool(words.strip())


@given(st.text("ab1.,-'é 京", max_size=20), st.text("ab1.,-'é 京", max_size=3))
def test_no_place_that_is_whole_cuts_a_token(text: str, words: str) -> None:
    for start, end in whole(text, words):
        assert not (text[:start][-1:].isdigit() and text[start:][:1].isdigit())
        assert not (text[:end][-1:].isdigit() and text[end:][:1].isdigit())
        assert not cuts(text, start, end)


def test_hostile_text_is_searched_in_time_that_grows_with_its_length() -> None:
    assert find(" \n" * 100_000 + "a", "a a") == []
    assert len(find("a " * 100_000, "a")) == 100_000
