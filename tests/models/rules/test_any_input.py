"""Whatever the input: nothing is raised, an edit fits, and no size makes it slow."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from errata.models.rules import agreement, edit, queries, rank
from errata.models.tasks.correction import EditInput

from ...growth import growth, repeated

PARTS = st.sampled_from(
    """The Eiffel Tower was completed in 1889 1899 31 March stands Paris Lyon France . , ( ) and is not never 330 metres
    1,083 feet tall largest smallest first third about more than nine ten seasons million % $ He It which who designed
    by Gustave Stephen born died – - ; : " ' 埃菲尔铁塔 建成 于 年 高 米 。 에펠탑은 완공되었다 👍 \u202e مرحبا
    [ * + ? \\ ^ $ {2} a|b""".split()
)
WORDS = st.lists(PARTS, max_size=30).map(" ".join)
TEXTS = st.one_of(WORDS, st.text(max_size=200))


@settings(max_examples=300, deadline=None)
@given(text=TEXTS, question=TEXTS, query=TEXTS, evidence=TEXTS, title=TEXTS)
def test_never_raises(**drawn: str) -> None:
    task_input: Any = drawn
    assert agreement(task_input).label in ("entailment", "neutral", "contradiction")
    assert all(question.strip() for question in queries(task_input).queries)
    assert (
        len(rank({"query": task_input["query"], "passages": [task_input["text"], task_input["evidence"]]}).scores) == 2
    )


@settings(max_examples=300, deadline=None)
@given(text=WORDS, evidence=WORDS, title=WORDS)
def test_an_edit_fits_and_settles_the_matter(text: str, evidence: str, title: str) -> None:
    task_input: EditInput = {"text": text, "question": "", "query": text, "evidence": evidence, "title": title}
    try:
        revision = edit(task_input)
    except ValueError:
        return
    changed = revision.text
    assert (changed != text) == (agreement(task_input).label == "contradiction")
    assert agreement(task_input | {"text": changed}).label != "contradiction"


@pytest.mark.parametrize(
    "piece",
    [
        "The Eiffel Tower was completed in 1899. ",
        "1889 ",
        "A",
        "a b, ",
        "(",
        "330 metres ",
        "埃菲尔铁塔于1889年建成，",
        "Aa Bb ",
    ],
)
def test_long_input_takes_no_longer_than_its_length_allows(piece: str) -> None:
    def compared(text: str) -> None:
        agreement({"text": text, "question": text, "query": text, "evidence": text[:4_000], "title": text[:200]})
        queries({"text": text, "question": text})

    assert not growth(repeated(piece), compared, 2_500, 0.5)
