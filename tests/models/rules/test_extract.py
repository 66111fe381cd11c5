"""The rules extractor: claims in the words of the text, and nothing that is no claim."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from errata.models.rules import extract, extract_subsentences
from errata.models.tasks.claims import ExtractInput
from errata.state.text.segments import sentences


def asked(text: str, question: str = "") -> ExtractInput:
    return {"sentences": [text[start:end] for start, end in sentences(text)], "question": question}


def triplets(text: str, question: str = "") -> list[tuple[str, str, str]]:
    return [(claim.subject, claim.predicate, claim.object) for claim in extract(asked(text, question)).claims]


TOWER = "The Eiffel Tower"


@pytest.mark.parametrize(
    ("text", "claims"),
    [
        (f"{TOWER} stands in Lyon, France.", [(TOWER, "stands in", "Lyon, France")]),
        (
            f"{TOWER} was completed in 1899 and is 330 metres tall.",
            [(TOWER, "was completed in", "1899"), (TOWER, "is", "330 metres tall")],
        ),
        (f"{TOWER} stands in Paris. It was not sold.", [(TOWER, "stands in", "Paris"), (TOWER, "was not sold", "")]),
        (
            f"{TOWER} was designed by Maurice Koechlin and Émile Nouguier.",
            [(TOWER, "was designed by", "Maurice Koechlin"), (TOWER, "was designed by", "Émile Nouguier")],
        ),
        (
            "Penguins eat fish, krill and squid.",
            [("Penguins", "eat", "fish"), ("Penguins", "eat", "krill"), ("Penguins", "eat", "squid")],
        ),
        ("The road runs between Paris and Lyon.", [("The road", "runs between", "Paris and Lyon")]),
        (
            "Aspirin is a drug that helps reduce fever.",
            [("Aspirin", "is", "a drug"), ("Aspirin", "helps reduce", "fever")],
        ),
        (
            "Marie Curie discovered polonium, which was named after Poland.",
            [("Marie Curie", "discovered", "polonium"), ("polonium", "was named after", "Poland")],
        ),
        ("The tower was sold.", [("The tower", "was sold", "")]),
        ("埃菲尔铁塔高330米，位于巴黎。", [("埃菲尔铁塔高330米", "", ""), ("位于巴黎", "", "")]),
        ("I love it! Who does not? Thanks.", []),
        ("I'm sorry, but I do not know. We have no record of it.", []),
        ("As an AI model, I cannot answer that.", []),
        ("", []),
    ],
)
def test_triplets(text: str, claims: list[tuple[str, str, str]]) -> None:
    assert triplets(text) == claims


def test_the_question_tells_what_a_pronoun_stands_for() -> None:
    assert triplets("It stands in Lyon.", "Where does the Eiffel Tower stand?") == [
        ("Eiffel Tower", "stands in", "Lyon")
    ]


def test_a_claim_knows_its_sentence() -> None:
    found = extract(asked("Rome is old. Rome lies in Italy. Is it? Rome is hot.")).claims
    assert [(claim.object, claim.sentences) for claim in found] == [("old", [1]), ("Italy", [2]), ("hot", [4])]


def test_a_bare_name_is_the_claim_of_an_answer() -> None:
    assert triplets("Gustave Eiffel.", "Who built the Eiffel Tower?") == [("Gustave Eiffel", "", "")]
    assert triplets("In 1889.", "When was the Eiffel Tower built?") == [("In 1889", "", "")]
    assert triplets("I do not know.", "When was the Eiffel Tower built?") == []


def test_subsentences_are_the_same_claims_as_sentences() -> None:
    text = "The tower was sold. It stands in Lyon, and it is 330 metres tall."
    found = extract_subsentences(asked(text)).claims
    contents = ["The tower was sold.", "The tower stands in Lyon.", "The tower is 330 metres tall."]
    assert [claim.content for claim in found] == contents
    assert [claim.sentences for claim in found] == [[1], [2], [2]]


@given(
    st.lists(
        st.sampled_from("The tower that was and , . ; which It is 12 Paris that not of ! ? \n 是 。".split(" ")),
        max_size=20,
    )
)
def test_any_words_give_claims_of_their_own_sentences(words: list[str]) -> None:
    given = asked(" ".join(words))
    for found in (extract(given), extract_subsentences(given)):
        for claim in found.claims:
            assert all(1 <= number <= len(given["sentences"]) for number in claim.sentences)
