"""Short answers: where one stands in a chain of thought, and when two of them are the same."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from errata.state.text.answers import (
    SHORT,
    exact_match,
    f1,
    is_null,
    majority,
    normalise,
    read_answer,
    short_answer,
)
from errata.state.text.values import same_answer

WORDS = ["the Elbe", "elbe", "Elbe.", "a Rhine", "Rhine!", "A", "a", "!", "?", "none", "N/A", "", " ", "12", "1,200"]
ANSWERS = st.one_of(st.sampled_from(WORDS), st.text(max_size=12))


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("Brahms was born in Hamburg. So the answer is: the Elbe.", "the Elbe"),
        ("So the answer is the Elbe", "the Elbe"),
        ("Answer: Elbe", "Elbe"),
        ("It was Hamburg.\n\n**Answer:** Elbe\n", "Elbe"),
        ("So the answer is:\nthe Elbe.", "the Elbe"),
        ("So the Answer Is: **the Elbe**.", "the Elbe"),
        ('He wrote it. So the answer is: "Blade Runner".', "Blade Runner"),
        ("So the answer is: “Middlemarch.”", "Middlemarch"),
        ("So the answer is: Philip K. Dick.", "Philip K. Dick"),
        ("So the answer is: 3.5", "3.5"),
        ("The answer is not obvious. So the answer is: the Elbe.", "the Elbe"),
        ("So the answer is: the Oder.\nNo. So the answer is: the Elbe.", "the Elbe"),
        ("So the answer is: the Elbe.\nIt is a river.", "the Elbe"),
        ("So the answer is: ", ""),
        ("The Elbe.", "The Elbe"),
        ("He answered in 1912", "He answered in 1912"),
    ],
)
def test_the_answer_stands_at_the_end_of_the_thought(text: str, answer: str) -> None:
    assert read_answer(text) == answer
    assert short_answer(text) == answer


def test_prose_is_no_answer_and_a_few_words_are() -> None:
    prose = "The Elbe rises in the Giant Mountains. " * 4
    assert len(prose) > SHORT
    assert read_answer(prose) == prose.strip().removesuffix(".")
    assert short_answer(prose) == ""
    assert short_answer(f"{prose}So the answer is: the Elbe.") == "the Elbe"
    assert short_answer("The Elbe\nThe Oder") == ""
    assert short_answer(" the Elbe. ") == "the Elbe"


@pytest.mark.parametrize("answer", WORDS)
def test_an_answer_that_is_written_out_is_read_back(answer: str) -> None:
    assert same_answer(read_answer(f"That is why. So the answer is: {answer}."), answer.strip())


@given(ANSWERS)
def test_normalising_twice_changes_nothing(answer: str) -> None:
    assert normalise(normalise(answer)) == normalise(answer)


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("The Elbe!", "elbe", True),
        ("An  Elbe", "the elbe", True),
        ("J. R. R. Tolkien", "J R R Tolkien", True),
        ("Theodore", "odore", False),
        ("the", "a", False),
        ("A", "a", True),
        ("!", "?", False),
        ("", "", True),
    ],
)
def test_articles_case_and_punctuation_do_not_count(one: str, other: str, same: bool) -> None:
    assert same_answer(one, other) is same_answer(other, one) is same
    assert exact_match(one, ["something else", other]) is same


@pytest.mark.parametrize(
    "answer",
    [
        "",
        " \n",
        "None",
        "none.",
        "No answer",
        "Unknown",
        "N/A",
        "n/a.",
        "I don't know.",
        "Not enough information",
        "an unknown",
    ],
)
def test_that_there_is_no_answer_is_none(answer: str) -> None:
    assert is_null(answer)


@pytest.mark.parametrize(
    "answer", ["no", "0", "zero", "?", "...", "A", "the", "The Unknown Soldier", "Na", "Nothing Else Matters"]
)
def test_an_answer_that_looks_like_none_is_one(answer: str) -> None:
    assert not is_null(answer)


@given(ANSWERS, ANSWERS)
def test_overlap_runs_both_ways(one: str, other: str) -> None:
    assert f1(one, [other]) == f1(other, [one])
    assert 0 <= f1(one, [other]) <= 1
    assert f1(one, [one]) == f1(one, [other, one]) == 1
    if exact_match(one, [other]):
        assert f1(one, [other]) == 1


def test_overlap_counts_words() -> None:
    assert f1("Marina Klimova of Russia", ["Marina Klimova"]) == pytest.approx(2 * 2 / (4 + 2))
    assert f1("very very good", ["very bad"]) == pytest.approx(2 * 1 / (3 + 2))
    assert f1("Elbe", ["Oder", "the river Elbe"]) == pytest.approx(2 / 3)
    assert f1("Elbe", ["Oder"]) == f1("Elbe", []) == 0.0
    assert not exact_match("Elbe", [])


@given(st.lists(ANSWERS, max_size=9))
def test_the_majority_is_what_most_say_and_the_first_to_say_it(answers: list[str]) -> None:
    known = [answer for answer in answers if not is_null(answer)]
    place = majority(answers)
    if place is None:
        assert not known
        return
    votes = {number: sum(same_answer(answer, other) for other in known) for number, answer in enumerate(answers)}
    candidates = [number for number, answer in enumerate(answers) if not is_null(answer)]
    assert place == max(candidates, key=lambda number: (votes[number], -number))


def test_a_tie_goes_to_the_earlier_and_nothing_outvotes_no_answer() -> None:
    assert majority(["Oder", "the Elbe", "Elbe", "oder!"]) == 0
    assert majority(["Oder", "the Elbe", "Elbe"]) == 1
    assert majority(["none", "unknown", "", "Elbe"]) == 3
    assert majority(["none", ""]) is majority([]) is None
