"""Reading text: sentences, passages and search tokens, in English, Chinese and Korean."""

from itertools import pairwise

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from errata.state.text.segments import language, passages, sentences, tokens

PROSE = st.lists(
    st.sampled_from(
        [
            "The tower stands.",
            "Dr. Who is 3.5 m tall!",
            "Is it?",
            "埃菲尔铁塔在巴黎。",
            "탑은 파리에 있다.",
            " ",
            "\n\n",
            "…",
            "e.g. x",
            "A" * 40,
        ]
    ),
    max_size=12,
).map("".join)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Dr. Smith went home. He slept.", ["Dr. Smith went home.", "He slept."]),
        ("It is 3.5 m high! Is it? Yes.", ["It is 3.5 m high!", "Is it?", "Yes."]),
        ("  One.\n\nTwo.  ", ["One.", "Two."]),
        ("埃菲尔铁塔在巴黎。它建于1889年！对吗？", ["埃菲尔铁塔在巴黎。", "它建于1889年！", "对吗？"]),
        ("에펠탑은 파리에 있다. 1889년에 지어졌다.", ["에펠탑은 파리에 있다.", "1889년에 지어졌다."]),
        ("It weighs 250 g. The lid does not.", ["It weighs 250 g.", "The lid does not."]),
        ("It holds 5 l. A can holds 3 m. more", ["It holds 5 l.", "A can holds 3 m. more"]),
        ("no end", ["no end"]),
        (" \n ", []),
        ("", []),
    ],
)
def test_sentences(text: str, expected: list[str]) -> None:
    assert [text[start:end] for start, end in sentences(text)] == expected


@given(PROSE | st.text(max_size=60))
def test_sentences_hold_everything_but_white_space(text: str) -> None:
    spans = sentences(text)
    said = "".join(text[start:end] for start, end in spans)
    assert [letter for letter in said if not letter.isspace()] == [letter for letter in text if not letter.isspace()]
    assert all(text[start:end] == text[start:end].strip() != "" for start, end in spans)
    assert all(left[1] <= right[0] for left, right in pairwise(spans))


@given(PROSE | st.text(max_size=200), st.integers(1, 60))
@example("", 5)
def test_passages_join_to_the_text_and_keep_to_their_size(text: str, size: int) -> None:
    pieces = passages(text, size)
    assert "".join(pieces) == text
    assert pieces
    assert all(len(piece) <= size for piece in pieces)
    assert all(pieces) or text == ""


def test_passages_are_cut_between_sentences() -> None:
    text = "One is here. Two is here. Three is here. Four is here."
    assert passages(text, 30) == ["One is here. Two is here. ", "Three is here. Four is here."]


def test_passages_are_few() -> None:
    text = "This is a sentence of some words. " * 300
    assert len(passages(text, 4_000)) == 3


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("The tower", "en"),
        ("埃菲尔铁塔", "zh"),
        ("에펠탑은 파리에", "ko"),
        ("エッフェル塔はパリ", "ja"),
        ("", "en"),
        ("123", "en"),
    ],
)
def test_language(text: str, code: str) -> None:
    assert language(text) == code


def test_tokens_find_the_same_word_in_other_clothes() -> None:
    assert tokens("The TOWERS were completed") == tokens("completing a tower")[::-1]
    assert tokens("ｆｕｌｌ　ｗｉｄｔｈ") == tokens("full width")
    assert tokens("the of and") == []
    assert tokens("埃菲尔铁塔") == ["埃菲", "菲尔", "尔铁", "铁塔"]
    assert set(tokens("铁塔")) <= set(tokens("埃菲尔铁塔"))


@given(st.text(max_size=80))
def test_tokens_of_anything_are_words(text: str) -> None:
    assert all(token and not token.isspace() for token in tokens(text))


def test_sentences_of_a_long_text_are_those_of_its_parts() -> None:
    parts = [f"The ferry number {number} left Skorn at noon, as “Dr. Arn” had said. " for number in range(400)]
    text = "".join(parts)
    assert [text[start:end] for start, end in sentences(text)] == [part.strip() for part in parts]


def test_what_never_ends_is_cut_between_words() -> None:
    text = "ferry " * 4_000
    found = sentences(text)
    assert "".join(text[start:end] + " " for start, end in found) == text


@given(st.text(st.characters(max_codepoint=127)))
def test_plain_letters_have_the_tokens_that_they_have_beside_others(text: str) -> None:
    assert [*tokens(text), "é"] == tokens(f"{text} é")
