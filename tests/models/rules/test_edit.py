"""Edit: the smallest change, in the style of the text, after which the evidence no longer contradicts it."""

import pytest

from errata.models.rules import agreement, edit, revise
from errata.models.tasks.correction import EditInput
from errata.models.tasks.grounding import Source
from errata.state.errors import Undecided

TOWER = "Eiffel Tower"


def mend(text: str, evidence: str, title: str = "", query: str = "") -> str:
    task_input: EditInput = {"text": text, "question": "", "query": query or text, "evidence": evidence, "title": title}
    changed = edit(task_input).text
    assert agreement(task_input | {"text": changed}).label != "contradiction"
    return changed


@pytest.mark.parametrize(
    ("text", "evidence", "expected"),
    [
        # as precise as the text is
        (
            "The tower was completed in 1899.",
            "The tower was completed on 31 March 1889.",
            "The tower was completed in 1889.",
        ),
        (
            "The show was cancelled in the 1980s.",
            "The show was cancelled in 1994.",
            "The show was cancelled in the 1990s.",
        ),
        (
            "The church was built in the 18th century.",
            "The church was built in 1843.",
            "The church was built in the 19th century.",
        ),
        ("Ada died on 1 May 1890.", "Ada died on 2 May 1890.", "Ada died on 2 May 1890."),
        ("Ada died on 1 May 1899.", "Ada died in 1890.", "Ada died on 1 May 1890."),
        # wherever it stands
        (
            "The ship has 3 decks. The ship has 3 decks.",
            "The ship has 4 decks.",
            "The ship has 4 decks. The ship has 4 decks.",
        ),
        # the same unit and the same way to write a number
        ("The tower is 250 metres tall.", "The tower is 1,083 feet tall.", "The tower is 330 metres tall."),
        ("The series has ten seasons.", "The series has 9 seasons.", "The series has nine seasons."),
        ("The series has 10 seasons.", "The series has nine seasons.", "The series has 9 seasons."),
        (
            "The city has 3 million inhabitants.",
            "The city has 2,100,000 inhabitants.",
            "The city has 2.1 million inhabitants.",
        ),
        (
            "Mars is the third planet from the Sun.",
            "Mars is the 4th planet from the Sun.",
            "Mars is the fourth planet from the Sun.",
        ),
        (
            "Oxygen makes up 31% of the air.",
            "Oxygen makes up 21 percent of the air.",
            "Oxygen makes up 21% of the air.",
        ),
        # articles
        ("Ada was a French writer.", "Ada was an English writer.", "Ada was an English writer."),
        ("Ada was an English writer.", "Ada was a French writer.", "Ada was a French writer."),
        # places and names
        ("The tower stands in Lyon.", "The tower stands in Paris, France.", "The tower stands in Paris."),
        ("The tower stands in Germany.", "The tower stands in Paris, France.", "The tower stands in France."),
        (
            "The capital of Australia is Sydney.",
            "Canberra is the capital of Australia.",
            "The capital of Australia is Canberra.",
        ),
        ("Marlowe wrote Hamlet.", "Hamlet was written by William Shakespeare.", "William Shakespeare wrote Hamlet."),
        ("The song was written by the Beatles.", "The song was written by Oasis.", "The song was written by Oasis."),
        (
            "The song was written by Oasis.",
            "The song was written by the Beatles.",
            "The song was written by the Beatles.",
        ),
        # the noun behind a number
        ("Beethoven wrote nine operas.", "Beethoven wrote one opera, Fidelio.", "Beethoven wrote one opera."),
        ("The bird has one wing.", "The bird has two wings.", "The bird has two wings."),
        # opposites
        ("Jupiter is the smallest planet.", "Jupiter is the largest planet.", "Jupiter is the largest planet."),
        # negation
        ("Penguins can fly.", "Penguins cannot fly.", "Penguins cannot fly."),
        ("Penguins cannot swim.", "Penguins can swim.", "Penguins can swim."),
        ("Gold is attacked by acids.", "Gold is not attacked by acids.", "Gold is not attacked by acids."),
        ("The bridge was never finished.", "The bridge was finished.", "The bridge was finished."),
        ("Pluto isn't round.", "Pluto is round.", "Pluto is round."),
        # Chinese and Korean
        ("埃菲尔铁塔于1899年建成。", "埃菲尔铁塔于1889年3月31日建成。", "埃菲尔铁塔于1889年建成。"),
        ("埃菲尔铁塔位于里昂。", "埃菲尔铁塔位于巴黎。", "埃菲尔铁塔位于巴黎。"),
        ("에펠탑은 1899년에 완공되었다.", "에펠탑은 1889년 3월 31일에 완공되었다.", "에펠탑은 1889년에 완공되었다."),
        ("서울의 인구는 500만 명이다.", "서울의 인구는 940만 명이다.", "서울의 인구는 940만 명이다."),
    ],
)
def test_mends_in_the_style_of_the_text(text: str, evidence: str, expected: str) -> None:
    assert mend(text, evidence) == expected


def test_a_span_that_occurs_twice_takes_its_neighbours_along() -> None:
    text = "In 1899 the fair was planned. The Eiffel Tower was completed in 1899."
    assert mend(text, "The Eiffel Tower was completed in 1889.", TOWER, "When was the Eiffel Tower completed?") == (
        "In 1899 the fair was planned. The Eiffel Tower was completed in 1889."
    )


def test_mends_every_fact_of_the_clause() -> None:
    text = "The tower was completed in Lyon in 1899."
    changed = mend(text, "The tower was completed in 1889 in Paris.")
    assert "1889" in changed


def test_leaves_the_other_clause_alone() -> None:
    text = "The Eiffel Tower was completed in 1899 and stands in Lyon."
    evidence = "The Eiffel Tower was completed on 31 March 1889. It stands in Paris, France."
    first = mend(text, evidence, TOWER, "When was the Eiffel Tower completed?")
    assert first == "The Eiffel Tower was completed in 1889 and stands in Lyon."
    second = mend(first, evidence, TOWER, "Where does the Eiffel Tower stand?")
    assert second == "The Eiffel Tower was completed in 1889 and stands in Paris."


@pytest.mark.parametrize(
    ("text", "evidence", "said"),
    [
        ("The mouse has nine tails.", "The mouse has one whole tail.", "the noun would not agree"),
        ("The mouse has one tail.", "The mouse has nine whole tails.", "the noun would not agree"),
    ],
)
def test_refuses_what_would_be_no_english(text: str, evidence: str, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        mend(text, evidence)


@pytest.mark.parametrize("evidence", ["", "The tower was completed in 1889.", "The moon is far away."])
def test_leaves_the_text_without_a_contradiction(evidence: str) -> None:
    assert mend("The tower was completed in 1889.", evidence) == "The tower was completed in 1889."


def test_too_much_to_compare_is_undecided() -> None:
    evidence: list[Source] = [{"title": "", "text": "The tower is tall. " * 200}]
    with pytest.raises(Undecided, match="too long for rules"):
        revise({"text": "The tower is old. " * 100, "evidence": evidence})
