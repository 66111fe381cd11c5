"""What speaks for another answer or program."""

from typing import Any

import pytest
from langchain_core.messages import ToolMessage

from errata.models.tasks.critic import Conclusion
from errata.nodes.critic.supporting import correction, is_about, quotes_line

from ..states import loop

SENTENCE = (
    "The company of Gustave Eiffel built the iron tower for the world's fair on the Champ de Mars in Paris in 1889."
)


@pytest.mark.parametrize(
    ("conclusion", "proposes"),
    [
        ({"text": "In 1889.", "answer": "1889"}, "none"),
        ({"text": "", "answer": ""}, "none"),
        ({"text": "It is not known.", "answer": "unknown"}, "none"),
        ({"text": "In 1887.", "answer": "1887"}, "unsupported"),
        ({"text": SENTENCE, "answer": ""}, "none"),
    ],
)
def test_without_evidence_nothing_new_is_supported(conclusion: Any, proposes: str) -> None:
    text = f"{SENTENCE} So the answer is: 1889."
    state: Any = loop(question="When was it built?", text=text, answer="1889", messages=[])
    assert correction(Conclusion(**conclusion), state) == proposes


@pytest.mark.parametrize(
    ("critique", "says_where"),
    [
        ("`eaten = 12` is wrong.", True),
        ("The code `eaten=12` counts twice.", True),
        ("Line 2 is wrong.", True),
        ("`eaten = 13` is wrong.", False),
        ("It is not right.", False),
        ("`` is wrong.", False),
    ],
)
def test_a_critique_says_where_a_program_is_wrong(critique: str, says_where: bool) -> None:
    assert quotes_line(critique, "slices = 8\neaten = 12\nanswer = slices - eaten") is says_where


DONE = "The tower was completed in 1889."
TOWER: Any = {"id": "1", "query": "?", "text": DONE, "title": "Eiffel Tower", "source": ""}


@pytest.mark.parametrize(
    ("text", "about"),
    [
        (DONE, True),
        ("The Eiffel Tower is tall.", True),
        ("The tower was completed in 1887.", False),
        ("Lima is the capital of Peru.", False),
    ],
)
def test_evidence_that_is_about_something_else_or_contradicts_bears_nothing_out(text: str, about: bool) -> None:
    assert is_about(TOWER, text) is about


@pytest.mark.parametrize("said", ["No change.", "The text is accurate and needs no correction."])
def test_words_about_a_text_do_not_take_its_place(said: str) -> None:
    result = {"evidence": TOWER, "bears": True, "failure": "", "offending": []}
    found = ToolMessage("[1] ...", tool_call_id="1", artifact=result)
    state: Any = loop(question="", text="The tower was completed in 1887.", answer="", messages=[found])
    assert correction(Conclusion(text=said, evidence=[1]), state) == "unsupported"
    assert correction(Conclusion(text=DONE, evidence=[1]), state) == "supported"
