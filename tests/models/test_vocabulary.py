"""The vocabulary of words: what is rare gets a slot, the same one wherever it stands."""

import random
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from errata.models.vocabulary import Words

WORDS = Words.of(["the tower was completed in the year .", "the tower in the year was completed ."], ["tower"])
TEXTS = st.lists(
    st.sampled_from(["the", "tower", "Eiffel", "1,889", "in", "巴", "黎", ".", ",", "(", ")", "o'clock", "-", "x"]),
    min_size=1,
).map(" ".join)


@given(texts=st.lists(TEXTS, min_size=1, max_size=4), seed=st.integers(0, 99))
def test_what_is_read_can_be_written(texts: list[str], seed: int) -> None:
    read, known = WORDS.read(texts, random.Random(seed))
    for text, ids in zip(texts, read, strict=True):
        assert WORDS.write(ids, known) == text
        assert WORDS.answer(text, known) == ids
        assert max(ids) < len(WORDS)


def test_punctuation_keeps_its_place() -> None:
    text = 'The "Eiffel Tower" (330 m), in Paris: 1,889 x-rays; what?'
    (ids,), known = WORDS.read([text])
    assert WORDS.write(ids, known) == text


def test_a_rare_word_has_one_slot_in_claim_and_evidence_and_another_next_time() -> None:
    (claim, evidence), known = WORDS.read(["Eiffel was", "the Eiffel"], random.Random(1))
    assert claim[0] == evidence[1] == known["Eiffel"]
    slots = {WORDS.read(["Eiffel"], random.Random(seed))[1]["Eiffel"] for seed in range(20)}
    assert len(slots) > 10
    assert WORDS.read(["Eiffel"]) == WORDS.read(["Eiffel"])


def test_only_common_words_without_capitals_and_digits_have_an_id() -> None:
    assert WORDS.common == sorted({"tower", "was", "completed", "in", "year", ".", "the"})
    answers = [f"Paris 1889 often {place}" for place in range(9)] + ["once", "rare", "rare"]
    assert Words.of(answers, ["claim: x by", "claim: y"]).common == [":", "claim", "often"]


def test_more_rare_words_than_slots_lose_the_last() -> None:
    few = Words([], slots=2)
    (ids,), known = few.read(["a b c"])
    assert few.write(ids, known) == "a b"


def test_it_is_kept_and_read_again(tmp_path: Path) -> None:
    WORDS.save_pretrained(str(tmp_path))
    again = Words.from_pretrained(tmp_path)
    assert again.read(["the Eiffel tower"]) == WORDS.read(["the Eiffel tower"])
