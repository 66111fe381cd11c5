"""Changes that a person keeps or rejects: what the text and the result come to."""

import itertools
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as some

from errata.apps.server.decide import LEFT, decided, pieces
from errata.state import Result, replay

TEXT = "The tower was built in 1899. It stands in Lyon, very near the sea."


def edit(text: str, before: str, after: str, **fields: Any) -> dict[str, Any]:
    start = text.index(before)
    span = {"before": before, "after": after, "start": start, "end": start + len(before)}
    return {**span, "evidence": "one", "reason": f"it is {after}", "applied": True, **fields}


def result(original: str, edits: list[Any], **fields: Any) -> Result:
    made: Any = {
        "original": original,
        "text": replay(original, edits),
        "edits": edits,
        "verdicts": [],
        "evidence": [],
        "attribution": [],
        "failures": [],
        "quorum": {},
        "unresolved": [],
        "status": "corrected",
        "stopped": "finished",
        "reason": "",
        "usage": {"llm_calls": 0},
    }
    merged: Result = made | fields
    return merged


def sentence(text: str, words: str, status: str = "corrected") -> Any:
    start = text.index(words)
    return {"sentence": words, "start": start, "end": start + len(words), "evidence": ["one"], "status": status}


@pytest.fixture
def corrected() -> Result:
    edits = [
        edit(TEXT, "1899", "1889"),
        edit(TEXT, "Lyon, very", "Paris, not"),
        edit(TEXT, "sea", "sky", applied=False),
    ]
    text = replay(TEXT, edits)  # type: ignore[arg-type]
    said = [sentence(text, "The tower was built in 1889."), sentence(text, "It stands in Paris, not near the sea.")]
    return result(TEXT, edits, attribution=said, cited="The tower was built in 1889 [1].")


def test_the_words_that_stood_there_come_back(corrected: Result) -> None:
    assert decided(corrected, {1})["text"] == TEXT.replace("Lyon, very", "Paris, not")
    assert decided(corrected, {2})["text"] == TEXT.replace("1899", "1889")
    assert decided(corrected, {1, 2})["text"] == TEXT
    assert decided(corrected, set()) == corrected


def test_the_edits_of_what_was_decided_lead_to_its_text(corrected: Result) -> None:
    after = decided(corrected, {1})
    assert replay(TEXT, after["edits"]) == after["text"]
    assert [(each["before"], each["applied"]) for each in after["edits"]] == [
        ("1899", False),
        ("Lyon, very", True),
        ("sea", False),
    ]
    assert "a person rejected it" in after["edits"][0]["reason"]


def test_a_sentence_whose_change_was_rejected_is_contradicted_and_left(corrected: Result) -> None:
    after = decided(corrected, {2})
    first, second = after["attribution"]
    assert (first["sentence"], first["status"]) == ("The tower was built in 1889.", "corrected")
    assert (second["sentence"], second["status"]) == ("It stands in Lyon, very near the sea.", "unresolved")
    (left,) = after["unresolved"]
    assert (left["sentence"], left["left"], left["evidence"]) == (second["sentence"], LEFT, "one")
    assert after["status"] == "unresolved"
    assert "cited" not in after, "it is of the text as it was corrected"


@pytest.mark.parametrize(
    ("before", "after", "original"),
    [
        (" in Lyon.", ".", "It stands in Lyon."),
        (" in Lyon", "", "It stands in Lyon"),
        ("However, it", "It", "However, it stands."),
        ("Well, ", "", "Well, it stands."),
    ],
)
def test_words_at_the_edge_of_a_sentence_come_back_into_it(before: str, after: str, original: str) -> None:
    text = f"One. {original} Two."
    made = result(text, [edit(text, before, after)])
    words = original.replace(before, after)
    made["attribution"] = [sentence(made["text"], each) for each in ("One.", words, "Two.")]
    assert [part["sentence"] for part in decided(made, {1})["attribution"]] == ["One.", original, "Two."]


def test_edits_of_the_same_place_are_one_change() -> None:
    first = edit(TEXT, "1899", "1898")
    second = edit(replay(TEXT, [first]), "1898", "1889", evidence="two")  # type: ignore[list-item]
    made = result(TEXT, [first, second])
    assert {piece["change"] for piece in pieces(made)} == {0, 1}
    assert decided(made, {1})["text"] == TEXT
    assert decided(made, {1})["edits"][0]["also"] == ["two"]


def test_a_text_that_was_rewritten_is_one_change() -> None:
    made = result(TEXT, [edit(TEXT, TEXT, "The tower was built in 1889. It stands in Paris, very near the sea.")])
    assert {piece["change"] for piece in pieces(made)} == {0, 1}
    assert decided(made, {1})["text"] == TEXT


def test_a_change_that_there_is_none_of_is_refused(corrected: Result) -> None:
    with pytest.raises(ValueError, match="no such change"):
        decided(corrected, {3})
    elsewhere: Any = {**corrected, "text": "Something else."}
    assert pieces(elsewhere) == []
    with pytest.raises(ValueError, match="no such change"):
        decided(elsewhere, {1})


@some.composite
def revised(draw: some.DrawFn) -> Result:
    """A text with edits one after another, wherever they fall."""
    text = original = draw(some.text("ab. ", max_size=20))
    edits: list[Any] = []
    for _ in range(draw(some.integers(0, 5))):
        start = draw(some.integers(0, len(text)))
        end = draw(some.integers(start, len(text)))
        before, after = text[start:end], draw(some.text("xy. ", max_size=5))
        fields = {"before": before, "after": after, "start": start, "end": end}
        edits.append({**fields, "evidence": "", "reason": "", "applied": True})
        text = text[:start] + after + text[end:]
    cuts = sorted(draw(some.sets(some.integers(0, len(text)), max_size=6)))
    spans = list(itertools.pairwise(cuts))
    said: Any = [
        {"sentence": text[start:end], "start": start, "end": end, "evidence": [], "status": "checked"}
        for start, end in spans
    ]
    return result(original, edits, attribution=said)


@given(revised(), some.data())
def test_whatever_is_rejected_the_rest_stays(made: Result, data: some.DataObject) -> None:
    cut = pieces(made)
    every = sorted({piece["change"] for piece in cut} - {0})
    unwanted = data.draw(some.sets(some.sampled_from(every)) if every else some.just(set()))
    after = decided(made, unwanted)
    assert after["text"] == "".join(piece["before" if piece["change"] in unwanted else "after"] for piece in cut)
    assert replay(made["original"], after["edits"]) == after["text"]
    assert decided(made, set(every))["text"] == made["original"]
    for part in after["attribution"]:
        assert after["text"][part["start"] : part["end"]] == part["sentence"]
