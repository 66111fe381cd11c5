"""Cutting a chain of thought up and writing it in a row again: nothing is lost, however many sentences it has."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from errata.state.text.answers import LABELS, read_label
from errata.state.text.rationale import ORDINALS, cut, fitted, rebuild, says_no_more

WORDS = st.lists(
    st.sampled_from("Ada Turing wrote built 1843 engine, the first of Paris".split()), min_size=2, max_size=6
)
FACTS = st.lists(WORDS.map(lambda words: "Thing " + " ".join(words).strip(",") + "."), min_size=1, max_size=30)


def facts(text: str) -> list[str]:
    return [text[start:end] for start, end in cut(text).facts]


@given(FACTS, st.sampled_from(["", " The answer is 1843.", " So the answer is: Ada B. Lovelace."]))
def test_what_is_rebuilt_is_cut_into_the_same(said: list[str], end: str) -> None:
    text = rebuild(said) + end
    found = cut(text)
    assert facts(text) == said
    assert (text[slice(*found.conclusion)] if found.conclusion else "") == end.strip()
    last = "Twentieth, " if len(said) == 20 else "Next, " if len(said) > 20 else f"{ORDINALS[len(said) - 1]}, "
    assert last in rebuild(said)


@given(st.text(max_size=200))
def test_nothing_is_lost_of_any_text(text: str) -> None:
    found = cut(text)
    spans = [*found.facts, *([found.conclusion] if found.conclusion else [])]
    assert all(start < end <= len(text) for start, end in spans)
    assert all(one[1] <= other[0] for one, other in pairwise(spans))


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        (
            "First, Ann is Bob. Second, Cid is Dan. Third, Eve is Fay. Finally, Gus is Hal. The answer is Hal.",
            "Ann is Bob.|Cid is Dan.|Eve is Fay.|Gus is Hal.",
        ),
        ("First, Ann is Bob Second, Cid is Dan. The answer is Dan.", "Ann is Bob|Cid is Dan."),
        ("1. Ann is Bob.\n2. Cid is Dan.\nAnswer: Dan", "Ann is Bob.|Cid is Dan."),
        ("- Ann is Bob.\n- Cid is Dan.", "Ann is Bob.|Cid is Dan."),
        ("Firstly, Ann is Bob. Then, Cid is Dan. Lastly: Eve is Fay.", "Ann is Bob.|Cid is Dan.|Eve is Fay."),
        ("Ann is Bob. Cid is Dan. So the answer is: Dr. Dan B. Smith.", "Ann is Bob.|Cid is Dan."),
        ("First Lady Ann is Bob. Second World War is Cid.", "First Lady Ann is Bob.|Second World War is Cid."),
        ("Ann is\nBob. Cid is Dan", "Ann is\nBob.|Cid is Dan"),
        ("First, Ann is Bob\nSecond, Cid is Dan\nSo the answer is Dan", "Ann is Bob|Cid is Dan"),
        ("The answer is Dan.", ""),
        ("Ann is Bob, so the answer is Bob.", "Ann is Bob"),
        ("First, Ann is Bob. Second, Cid is Dan; therefore the final answer is: Dan.", "Ann is Bob.|Cid is Dan"),
        ("Ann is Bob, so the answer is Bob. The answer is Bob.", "Ann is Bob"),
        ("Ann is Bob and thus the answer is\nBob.", "Ann is Bob"),
        ("So, the answer is Dan.", ""),
        ("Ann is so old the answer is Dan.", ""),
        ("", ""),
        ("First, ", ""),
        (
            "First, the answer is not known before 1950. Second, Cid is Dan. The answer is Dan.",
            "the answer is not known before 1950.|Cid is Dan.",
        ),
    ],
)  # fmt: skip
def test_markers_and_the_conclusion_are_no_facts(text: str, wanted: str) -> None:
    assert "|".join(facts(text)) == wanted


@pytest.mark.parametrize(
    ("said", "before", "wanted"),
    [
        ("The tower stands in Paris", "the tower stands in Lyon.", "the tower stands in Paris."),
        ("Ada wrote it.", "the author was Byron.", "Ada wrote it."),
        ("First, it is\nso.", "It is not so.", "it is so."),
        ("I wrote it", "he wrote it.", "I wrote it."),
        ("Is it?", "it is.", "is it?"),
        ("The tower stands in Paris.", "the tower stands in Lyon", "the tower stands in Paris"),
    ],
)
def test_what_takes_the_place_of_a_sentence_has_its_form(said: str, before: str, wanted: str) -> None:
    assert fitted(said, before) == wanted


@pytest.mark.parametrize(
    ("said", "sentence", "agrees"),
    [
        ("The tower was completed in 1889.", "the tower was completed in 1889 in Paris.", True),
        ("In 1889 the tower was completed.", "The tower was completed in 1889.", True),
        ("The tower was completed in 1889.", "The tower was completed in 1899.", False),
        ("The Sun is 4.6 billion years old.", "The Sun is 6.4 billion years old.", False),
        ("It has 1,200 rooms.", "It has 1200 rooms.", True),
        ("Canada beat Peru.", "Peru beat Canada.", False),
        ("It is not red.", "It is red.", False),
        ("It was -5 °C.", "It was 5 °C.", False),
        ("It was 5 °C.", "It was minus 5 °C.", False),
        ("It was −5 °C.", "It was -5 °C.", True),
        ("It was 5 °C.", "It was 3–5 °C.", False),
        ("It costs $5.", "It costs €5.", False),
        ("It grew from 10 to 20 rooms.", "It grew from 20 to 10 rooms.", False),
        ("It grew to 20 rooms from 10.", "It grew from 10 to 20 rooms.", True),
        ("It was built in 1889.", "It was built from 1887 to 1889.", True),
        ("Canada beat Peru 3-2.", "Canada beat Peru 2-3.", False),
        ("Canada beat Peru 3 to 2.", "Canada beat Peru 2 to 3.", False),
        ("It was open from 1950 to 1900.", "It was open from 1900 to 1950.", False),
        ("In 1889 it had 20 rooms.", "It had 20 rooms in 1889.", True),
        ("Jo plays for the Cardinals.", "The player is Jo who plays for the Cardinals.", True),
    ],
)
def test_what_says_no_more(said: str, sentence: str, agrees: bool) -> None:
    assert says_no_more(said, sentence) is agrees


@pytest.mark.parametrize(
    ("said", "label"),
    [
        *((label, label) for label in LABELS),
        ("supported", "SUPPORTS"),
        ("Yes, it does", "SUPPORTS"),
        ("**True**", "SUPPORTS"),
        ("REFUTED", "REFUTES"),
        ("no", "REFUTES"),
        ("Not true.", "REFUTES"),
        ("false", "REFUTES"),
        ("Not Enough Information", "NOT ENOUGH INFO"),
        ("NEI", "NOT ENOUGH INFO"),
        ("not enough evidence", "NOT ENOUGH INFO"),
        ("cannot be determined", "NOT ENOUGH INFO"),
        ("Paris", ""),
        ("not supported", ""),
        ("nobody", ""),
        ("", ""),
    ],
)
def test_labels_are_read(said: str, label: str) -> None:
    assert read_label(said) == label
