"""Queries: a question for every claim, that names its subject and does not repeat the value in doubt."""

import pytest

from errata.models.rules import queries


def ask(text: str, question: str = "") -> list[str]:
    return queries({"text": text, "question": question}).queries


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "The Eiffel Tower was completed in 1899 and stands in Lyon.",
            ["When was the Eiffel Tower completed?", "Where does the Eiffel Tower stand?"],
        ),
        ("Hamlet was written by Christopher Marlowe.", ["Who wrote Hamlet?"]),
        # a noun of the same stem as the verb is not the verb
        (
            "The hall was designed by the architect Jørn Utzon.",
            ["Who designed the hall?", "Was the hall designed by the architect Jørn Utzon?"],
        ),
        (
            "Jørn Utzon was the architect of the hall.",
            ["Who was the architect of the hall?", "Was Jørn Utzon the architect of the hall?"],
        ),
        ("The capital of Australia is Sydney.", ["What is the capital of Australia?"]),
        ("The Burj Khalifa is 828 metres tall.", ["How tall is the Burj Khalifa?"]),
        ("The Burj Khalifa has 163 floors.", ["How many floors does the Burj Khalifa have?"]),
        ("Magna Carta was sealed in 1215.", ["When was Magna Carta sealed?"]),
        ("Ada Lovelace was a French writer.", ["What nationality was the writer Ada Lovelace?"]),
        ("Jupiter is the largest planet in the Solar System.", ["Is Jupiter the largest planet in the Solar System?"]),
        # what the verb needs stays with it
        (
            "The United States declared war on Germany in 1941.",
            ["When did the United States declare war on Germany?"],
        ),
        (
            "The United Nations had 51 members in 1945.",
            ["When did the United Nations have 51 members?", "How many members did the United Nations have?"],
        ),
        (
            "Marie Curie was the first woman to win a Nobel Prize, in 1911.",
            [
                "When was Marie Curie the first woman to win a Nobel Prize?",
                "Was Marie Curie the first woman to win a Nobel Prize, in 1911?",
                "Who was the first woman to win a Nobel Prize?",
            ],
        ),
        ("The wall fell 28 years after 1961.", ["Did the wall fall 28 years after 1961?"]),
        (
            "The drug was found by a Scot and developed by a German.",
            ["Was the drug found by a Scot?", "Was the drug developed by a German?"],
        ),
        # a thing is no who
        (
            "Mount Everest is the highest mountain on Earth.",
            ["What is the highest mountain on Earth?", "Is Mount Everest the highest mountain on Earth?"],
        ),
        (
            "Edward Smith was the captain of the Titanic.",
            ["Who was the captain of the Titanic?"],
        ),
        # what holds since then is part of the question
        (
            "The law has been in force since 1947.",
            ["Has the law been in force since 1947?"],
        ),
        ("About 12 percent of Ruritania is moor.", ["What percentage of Ruritania is moor?"]),
        (
            "The first human to climb the Blue Hill was Ann Lee.",
            ["Was the first human to climb the Blue Hill Ann Lee?", "Who was the first human to climb the Blue Hill?"],
        ),
        # the search must not look for the wrong one
        (
            "Mars is the fifth planet from the Sun.",
            ["Which planet from the Sun is Mars?", "Is Mars the fifth planet from the Sun?"],
        ),
        ("Magna Carta was written in English.", ["In which language was Magna Carta written?"]),
        ("The bag weighs 1.25 kg.", ["How much does the bag weigh?"]),
        ("The flag is red.", ["What colour is the flag?"]),
        ("The wall stood for 28 years.", ["For how many years did the wall stand?"]),
        ("Sales rose by 6 percent.", ["By what percentage did Sales rise?"]),
        ("There are eight planets.", ["How many planets are there?"]),
        ("She wrote nine novels.", ["How many novels did she write?"]),
        ("The scientific name of the cheetah is Acinonyx jubatus.", ["What is the scientific name of the cheetah?"]),
        ("The lake covers 105 square kilometres.", ["What area does the lake cover?"]),
        (
            "The Titanic was a liner that sank on 15 April 1912.",
            ["Was the Titanic a liner?", "When did the Titanic sink?"],
        ),
        # whom a sentence speaks to is no part of what it says
        ("You fools, the Eiffel Tower was completed in 1899.", ["When was the Eiffel Tower completed?"]),
        (
            "埃菲尔铁塔于1889年建成，高330米。它位于巴黎。",
            ["埃菲尔铁塔于哪一年建成？", "埃菲尔铁塔高多少米？", "埃菲尔铁塔位于哪里？"],
        ),
        ("에펠탑은 1889년에 완공되었다.", ["에펠탑은 몇 년에 완공되었다?"]),
    ],
)
def test_asks_without_repeating_the_value(text: str, expected: list[str]) -> None:
    assert ask(text) == expected


def test_a_pronoun_is_the_subject_of_the_sentence_before() -> None:
    assert ask("Marie Curie was a physicist. She was born in 1867.")[-1] == "When was Marie Curie born?"


def test_a_pronoun_is_otherwise_what_the_question_is_about() -> None:
    assert ask("It was completed in 1889.", "When was the Eiffel Tower completed?") == [
        "When was Eiffel Tower completed?"
    ]


@pytest.mark.parametrize(
    "text", ["", "   ", "Hello!", "Good morning.", "Thank you very much for asking.", "How are you?", "👍"]
)
def test_asks_nothing_where_nothing_is_claimed(text: str) -> None:
    assert ask(text) == []


def test_asks_at_most_three_questions_of_a_sentence_and_none_twice() -> None:
    text = (
        "Ada was born in London in 1815, married William in 1835, met Babbage in 1833 and died in Paris in 1852. " * 2
    )
    found = ask(text)
    assert len(found) == len(set(found)) <= 3
