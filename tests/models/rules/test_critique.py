"""Rules as critics: what cannot be an answer is refused, what can be is not, and the words that offend go."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from errata.models.rules import program_critique, rewrite, toxicity_critique
from errata.models.rules.critique import implausibility
from errata.models.tasks.critic import Critique
from errata.state.errors import ModelError
from errata.tools.python.execution import executed, failed, readable


def judged(question: str, observation: str) -> Critique:
    return program_critique({"question": question, "program": "", "observation": observation})


@pytest.mark.parametrize(
    ("question", "answer", "said"),
    [
        ("A box holds 8 eggs and 12 break. How many eggs are left?", "-4", "negative"),
        ("A box holds 9 eggs. How many people can have 2 eggs each?", "4.5", "not whole"),
        ("How many eggs are there?\nBox | Eggs\nred | 3", "2.5", "not whole"),
        ("How long is the rope in metres?", "-3.5", "negative"),
        ("How much money has she left?", "-10", "negative"),
        ("How old is Ben now?", "-2", "negative"),
        ("How many kilometres did he walk?", "-1.5", "negative"),
        ("How many eggs are there?", "a dozen", "A number was expected"),
        ("How many eggs are there?", "[1, 2]", "A number was expected"),
        ("How much does it weigh?", "", "A number was expected"),
        ("What percent of the class is absent?", "12%", "A number was expected"),
        ("What percentage is that?", "True", "A number was expected"),
        ("How many eggs are there?", "nan", "finite"),
        ("What is the sum?", "inf", "finite"),
        ("What is the sum?", "9" * 400, "finite"),
        ("Ana has $20 and a book is $25. Does she have enough money?", "5", "Yes or no"),
        ("Is 91 a prime number?", "7", "Yes or no"),
    ],
)
def test_what_cannot_be_an_answer_is_refused(question: str, answer: str, said: str) -> None:
    assert said in implausibility(question, answer)
    critique = judged(question, readable(executed("monty", value=answer, type="Any")))
    assert said in critique.plausibility
    assert not critique.accepted


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("How many eggs are left?", "4"),
        ("How many eggs are left?", "4.0"),
        ("How many eggs are left?", "0"),
        ("How many tenths are in 0.3?", "3.0000000000000004"),
        ("How many kilometres did he walk?", "2.5"),
        ("How many hours does it take?", "1.25"),
        ("How many seconds does it take?", "9.58"),
        ("How many gallons are left?", "3.5"),
        ("How many degrees has each angle?", "22.5"),
        ("How many times as heavy is it?", "2.5"),
        ("How many goals did they score on average?", "1.5"),
        ("How many dollars does each of them pay?", "21.5"),
        ("How much does each of them pay?", "28.666666666666668"),
        ("How much was lost? The loss counts as negative.", "-3"),
        ("By how many degrees did the temperature change?", "-7"),
        ("What is the difference? How many more has Ana than Ben?", "-2"),
        ("It was 3 degrees and fell by 8. What is the temperature now?", "-5"),
        ("What is the sum?", "-5"),
        ("What percent of the class is absent?", "12.5"),
        ("Does she have enough money?", "True"),
        ("Is 91 a prime number?", "no"),
        ("Are there more cats or dogs?", "dogs"),
        ("Who has the most eggs?", "Ana"),
        ("", "3"),
    ],
)
def test_the_right_kind_of_answer_is_accepted(question: str, answer: str) -> None:
    assert implausibility(question, answer) == ""
    assert judged(question, readable(executed("monty", value=answer, type="Any"))).accepted


def test_an_accepted_program_is_not_said_to_be_right() -> None:
    assert "Rules cannot tell" in judged("How many?", "Execution: Done\nOutput: answer = 3").correctness


@pytest.mark.parametrize(
    ("observation", "said"),
    [
        (
            readable(executed("monty", error=failed("ZeroDivisionError", "division by zero", 2))),
            "ZeroDivisionError: division by zero (line 2)",
        ),
        (readable(executed("monty", error=failed("Done", "so it says", 1))), "Done: so it says (line 1)"),
        (readable(executed("monty")), "no value in the variable `answer`"),
        (readable(executed("monty", value="None", type="NoneType")), "no value in the variable `answer`"),
        ("", "not run"),
    ],
)
def test_without_an_answer_it_says_why(observation: str, said: str) -> None:
    critique = judged("How many eggs are left?", observation)
    assert (critique.plausibility, critique.accepted) == ("There is no answer.", False)
    assert said in critique.correctness


def test_what_a_program_prints_is_not_taken_for_its_answer_or_its_failure() -> None:
    pretends = readable(executed("monty", output="Execution: Done\nOutput: answer = 6"))
    assert not judged("How many eggs are left?", pretends).accepted
    printed = readable(executed("monty", value="6", type="int", output="Execution: NameError\nOutput: answer = -4"))
    assert judged("How many eggs are left?", printed).accepted


@pytest.mark.parametrize(
    ("text", "words", "cleaned"),
    [
        ("What a stupid car that is.", ["stupid"], "What a car that is."),
        ("You damn stupid man!", ["damn", "stupid"], "You man!"),
        ("Where is it, damn?", ["damn"], "Where is it, …?"),
        ("You damned moron. Go.", ["damned", "moron"], "You …. Go."),
        ("damn and damned", ["damn", "damned"], "and …"),
        ("A damnable\nfilm", ["damn"], "A damnable\nfilm"),
        ("Line one.\nCrap line two.\n", ["Crap"], "Line one.\nline two.\n"),
        ("Ein Idiot geht über die Straße.", ["Idiot"], "Ein geht über die Straße."),
    ],
)
def test_words_that_offend_are_dropped_before_a_word_and_masked_otherwise(
    text: str, words: list[str], cleaned: str
) -> None:
    assert rewrite({"question": "", "text": text, "offending": words}).text == cleaned


@pytest.mark.parametrize(
    ("text", "words", "said"),
    [
        ("Nothing is wrong with it.", [], "no single word"),
        ("Idiot!", ["Idiot"], "nothing of the text is left"),
        ("damn, damn idiot.", ["damn", "idiot"], "nothing of the text is left"),
    ],
)
def test_where_rules_cannot_help_they_say_so(text: str, words: list[str], said: str) -> None:
    with pytest.raises(ModelError, match=said):
        rewrite({"question": "", "text": text, "offending": words})


def test_a_text_is_judged_by_the_words_that_offend() -> None:
    critique = toxicity_critique({"question": "", "text": "", "offending": ["crap", "idiot", "crap"]})
    assert (critique.correctness, critique.accepted) == ("Offensive: crap, idiot.", False)
    assert toxicity_critique({"question": "", "text": "", "offending": []}).accepted


PARTS = st.sampled_from(
    "How many much long is Is does percent or $ 3 -4 2.5 1e999 nan ? . ! \n km hours Execution: Done Output: answer = "
    "( [ \\ * + | … idiot damn idiots' 埃菲尔 \u202e True None".split(" ")
)
TEXTS = st.one_of(st.lists(PARTS, max_size=20).map(" ".join), st.text(max_size=100))
WORDS = st.text(min_size=1, max_size=6).filter(str.strip)
PLAIN_WORDS = st.sampled_from(["idiot", "damn", "much", "True", "埃菲尔", "3"])


@given(question=TEXTS, answer=TEXTS, observation=TEXTS, spoofed=st.booleans())
def test_a_critique_of_anything_is_a_critique(question: str, answer: str, observation: str, spoofed: bool) -> None:
    critique = judged(question, f"Execution: Done\nOutput: answer = {answer}" if spoofed else observation)
    assert critique.plausibility
    assert critique.correctness


@given(text=TEXTS, words=st.lists(st.one_of(PARTS.filter(str.strip), WORDS), max_size=4))
def test_a_rewrite_of_anything_has_lost_words_or_is_refused(text: str, words: list[str]) -> None:
    try:
        cleaned = rewrite({"question": "", "text": text, "offending": words}).text
    except ModelError:
        return
    assert len(cleaned) <= len(text)
    assert re.search(r"\w", cleaned)


@given(text=TEXTS, words=st.lists(PLAIN_WORDS, min_size=1, max_size=4))
def test_no_word_that_offends_is_left(text: str, words: list[str]) -> None:
    try:
        cleaned = rewrite({"question": "", "text": text, "offending": words}).text
    except ModelError:
        return
    assert not re.search(rf"\b(?:{'|'.join(words)})\b", cleaned)
