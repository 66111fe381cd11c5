"""What is cited says the words that it is cited for."""

import pytest

from errata.nodes.cite import gathered, saying
from errata.state.text import tokens
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
    assert [piece["title"] for piece in saying(tokens(words), PIECES)] == titles
    assert saying(tokens(words), []) == []


def test_equal_content_is_the_same_evidence_whatever_it_was_found_by() -> None:
    again = evidence(query="another", text="He was  born\nin Hamburg.", title="Brahms", source="mirror", score=2.0)
    assert gathered(PIECES, [again]) == PIECES
    assert evidence(query="q", text="He was born in Bern.", title="Brahms")["id"] != again["id"]
    assert evidence(query="q", text="He was born in Hamburg.", title="Bach")["id"] != again["id"]


def test_the_same_output_of_two_runs_is_evidence_of_each() -> None:
    one, other = (evidence(query=program, text="answer = 4", run=True) for program in ("answer = 4", "answer = 2 * 2"))
    assert one["id"] != other["id"]
