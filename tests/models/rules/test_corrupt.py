"""The rules `corrupt` and `summarise`: always wrong, always told, never twice differently."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from errata.apps.purr.corpus import recorded
from errata.models.rules import corrupt, summarise
from errata.state.text.segments import sentences

from ...corruptions import restored

CORPUS = Path(__file__).parents[3] / "tools" / "corpus"
PAGES = [path.read_text("utf-8").split("---", 2)[2] for path in sorted(CORPUS.glob("*.md"))]
SENTENCES = [page[start:end] for page in PAGES for start, end in sentences(page)]


@given(text=st.sampled_from(SENTENCES), seed=st.integers(0, 2**31))
def test_it_changes_the_text_and_the_record_restores_it(text: str, seed: int) -> None:
    made = corrupt({"text": text, "passages": PAGES[:2], "seed": seed})
    assert made.text != text
    assert made.plan
    kept, done = recorded(text, made)
    assert kept == made.text
    assert done
    assert restored(kept, done) == text
    assert made == corrupt({"text": text, "passages": PAGES[:2], "seed": seed})


@given(text=st.text(min_size=1), seed=st.integers(0, 9))
def test_any_text_with_a_word_is_made_wrong(text: str, seed: int) -> None:
    if not any(character.isalnum() for character in text):
        return
    made = corrupt({"text": text, "passages": [], "seed": seed})
    assert made.text != text


def test_nothing_cannot_be_made_wrong() -> None:
    with pytest.raises(ValueError, match="nothing to corrupt"):
        corrupt({"text": " … ", "passages": [], "seed": 0})


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        ("date", "The bridge was opened in 1931."),
        ("number", "The bridge is 420 metres long."),
        ("entity", "The bridge stands in Paris."),
        ("relation", "The bridge is the largest of all."),
        ("negation", "It is raining."),
        ("grammar", "Rain, rain."),
    ],
)
def test_every_kind_is_made(kind: str, text: str) -> None:
    kinds = [corrupt({"text": text, "passages": [], "seed": seed}).plan[0].kind for seed in range(40)]
    assert kind in kinds


def test_names_are_borrowed_from_the_passages() -> None:
    text = "The tower was designed by Gustave Eiffel."
    made = [corrupt({"text": text, "passages": ["It was built by Ada Lovelace."], "seed": n}).text for n in range(20)]
    assert "The tower was designed by Ada Lovelace." in made


def test_a_summary_is_the_sentence_that_answers() -> None:
    passages = ["The tower is tall. It stands in Paris.", "The tower was completed in 1889. Many people like it."]
    said = summarise({"question": "When was the tower completed?", "passages": passages})
    assert said.text == "The tower was completed in 1889."
    with pytest.raises(ValueError, match="nothing to summarise"):
        summarise({"question": "When?", "passages": []})
