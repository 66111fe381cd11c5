"""Questions that ask the same are one; those that only look alike are not."""

import pytest

from errata.state.text.questions import canonical, distinct, is_small_talk


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("When was the Eiffel Tower opened?", "when was  Eiffel Tower opened"),
        ("In which year was the tower opened?", "What year was the tower opened?"),
        ("In 1889, which tower was opened?", "Which tower was opened in 1889?"),
        ("Who is Marie Curie's husband?", "Who is Marie Curie’s husband?"),
        ("How many floors does the tower have?", "How many floors does the tower have exactly?"),
        ("埃菲尔铁塔有多高？", "埃菲尔铁塔有多高?"),
    ],
)
def test_the_same(one: str, other: str) -> None:
    assert distinct([one, other]) == [one]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("When was the tower opened?", "Where was the tower opened?"),
        ("When was the tower opened?", "When was the tower not opened?"),
        ("Who led Apollo 11?", "Who led Apollo 12?"),
        ("Did Rome defeat Carthage?", "Did Carthage defeat Rome?"),
        ("Who was the sister of the wife of Bach?", "Who was the wife of the sister of Bach?"),
        ("Who was killed by Brutus?", "Who killed Brutus?"),
        ("Who flew from Paris to Rome?", "Who flew from Rome to Paris?"),
        ("What is the tallest tower?", "What is the shortest tower?"),
        ("In which year was Bach born?", "On which date was Bach born?"),
        ("Is 1.5 more than 15?", "Is 15 more than 1.5?"),
        ("埃菲尔铁塔有多高？", "埃菲尔铁塔有多重？"),
        ("?", "!"),
        ("", "?"),
    ],
)
def test_not_the_same(one: str, other: str) -> None:
    assert distinct([one, other]) == [one, other]
    assert canonical(one) != canonical(other)


@pytest.mark.parametrize(
    "message",
    ["Hello", "hi there!", "Thanks for all your help today", "Thank you so much, goodbye.", "Good day! How are you?",
     "You’re welcome", "ok, thanks", "谢谢你！", "您好", "감사합니다.", "안녕하세요!"],
)  # fmt: skip
def test_small_talk_asks_nothing(message: str) -> None:
    assert is_small_talk(message)


@pytest.mark.parametrize(
    "message",
    ["Hello, how high is it?", "Thanks, and where is the lodge?", "Yes please", "ok", "Why?", "And there?", "", "!?",
     "Who sang Hello?", "Good Morning America", "Hello 2", "hellos", "你好，北京在哪里？", "안녕하세요, 어디예요?"],
)  # fmt: skip
def test_anything_more_asks_something(message: str) -> None:
    assert not is_small_talk(message)


def test_a_long_message_is_read_in_one_go() -> None:
    assert not is_small_talk("thank you you " * 50_000 + "x")
