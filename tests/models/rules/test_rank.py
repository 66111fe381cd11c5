"""Rank: BM25 over the passages at hand."""

import pytest

from errata.models.rules import rank

from ...growth import growth

QUERY = "When was the Eiffel Tower completed?"


def test_prefers_the_passage_with_the_answer() -> None:
    passages = ["Paris is in France.", "The tower was finished in 1889.", "The Eiffel Tower was completed in 1889."]
    scores = rank({"query": QUERY, "passages": passages}).scores
    assert sorted(range(3), key=scores.__getitem__) == [0, 1, 2]


@pytest.mark.parametrize(
    ("query", "said", "answer"),
    [
        (
            "Where is the Eiffel Tower?",
            "Work on the Eiffel Tower began in 1887: soon the Eiffel Tower rose.",
            "The Eiffel Tower is a tall tower in the north of France, and made of iron.",
        ),
        (
            "Who designed the Tay Bridge?",
            "The Tay Bridge was designed in Dundee.",
            "Thomas Bouch designed the long Tay Bridge.",
        ),
    ],
    ids=["where", "who"],
)
def test_an_answer_is_of_the_kind_that_is_asked_for(query: str, said: str, answer: str) -> None:
    low, high = rank({"query": query, "passages": [said, answer]}).scores
    assert high > low
    of_itself, _ = rank({"query": "Where is Paris?", "passages": ["Paris is old.", "The city is large."]}).scores
    assert of_itself > 0


def test_knows_words_of_one_relation() -> None:
    low, high = rank({"query": "When did the ship sink?", "passages": ["The ship sailed.", "The ship sank."]}).scores
    assert high > low


def test_equal_passages_have_equal_scores() -> None:
    one, other, _ = rank({"query": QUERY, "passages": ["The tower.", "The tower.", "A fish."]}).scores
    assert one == other > 0


def test_nothing_to_rank_gives_no_scores() -> None:
    assert rank({"query": QUERY, "passages": []}).scores == []
    assert rank({"query": "", "passages": ["", "a"]}).scores == [0.0, 0.0]
    assert rank({"query": "tower", "passages": ["", ""]}).scores == [0.0, 0.0]


def test_ranks_chinese() -> None:
    low, high = rank({"query": "埃菲尔铁塔高多少米？", "passages": ["月亮很远。", "埃菲尔铁塔高330米。"]}).scores
    assert high > low


def test_many_passages_take_as_much_longer_as_they_are_more() -> None:
    def passages(count: int) -> list[str]:
        return [f"The tower was completed in {year} for the fair. It stands in Paris. " * 4 for year in range(count)]

    assert not growth(passages, lambda given: rank({"query": QUERY, "passages": given}), 200)
