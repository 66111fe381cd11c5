"""What is cited says the words that it is cited for."""

import pytest

from errata.nodes.cite import covering, credit, gathered
from errata.state import Attribution, Edit, cites, replay
from errata.state.text.segments import sentences, tokens
from errata.tools import evidence

PAGES = [("Brahms", "He was born in Hamburg."), ("Hamburg", "It lies on the Elbe."), ("Elbe", "It ends in 1,091 km.")]
PIECES = [evidence(query="q", text=text, title=title) for title, text in PAGES]


@pytest.mark.parametrize(
    ("words", "titles"),
    [
        ("born", ["Brahms"]),
        ("the Elbe", ["Hamburg"]),
        ("Brahms, on the Elbe", ["Brahms", "Hamburg"]),
        ("1,091", ["Elbe"]),
        ("1,092", []),
        ("Hamburg in 1833", []),
        ("yes", []),
        ("", []),
    ],
)
def test_the_fewest_that_have_all_the_words(words: str, titles: list[str]) -> None:
    assert [piece["title"] for piece in covering(tokens(words), PIECES)] == titles
    assert covering(tokens(words), []) == []


def test_equal_content_is_the_same_evidence_whatever_it_was_found_by() -> None:
    again = evidence(query="another", text="He was  born\nin Hamburg.", title="Brahms", source="mirror", score=2.0)
    assert gathered(PIECES, [again]) == PIECES
    assert evidence(query="q", text="He was born in Bern.", title="Brahms")["id"] != again["id"]
    assert evidence(query="q", text="He was born in Hamburg.", title="Bach")["id"] != again["id"]


def test_the_same_output_of_two_runs_is_evidence_of_each() -> None:
    one, other = (evidence(query=program, text="answer = 4", run=True) for program in ("answer = 4", "answer = 2 * 2"))
    assert one["id"] != other["id"]


def made(before: str, after: str, start: int, *ids: str, applied: bool = True) -> Edit:
    end = start + len(before)
    return {
        "before": before,
        "after": after,
        "start": start,
        "end": end,
        "reason": "",
        "applied": applied,
        **cites(ids),
    }


def test_an_edited_sentence_rests_on_the_evidence_of_its_edit() -> None:
    original = "The Nile is short. It is in Asia. It is wet."
    edits = [
        made("short", "long", 12, "e1"),
        made("Asia", "Africa", 27, "e2", "e3"),
        made("wet", "dry", 42, "e9", applied=False),
    ]
    text = replay(original, edits)
    assert text == "The Nile is long. It is in Africa. It is wet."
    parts: list[Attribution] = [
        {"sentence": text[start:end], "start": start, "end": end, "evidence": ["e3"], "status": "checked"}
        for start, end in sentences(text)
    ]
    credit(parts, original, edits)
    assert [part["evidence"] for part in parts] == [["e1", "e3"], ["e2", "e3"], ["e3"]]
