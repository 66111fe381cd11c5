"""What a run begins with has to be what it says it is."""

from typing import Any

import pytest

from errata.graphs import load
from errata.state.errors import ConfigurationError


@pytest.mark.parametrize(
    ("method", "given", "said"),
    [
        ("rarr", {"text": 5}, "text must be a string, not int"),
        ("rarr", {"text": ["One.", "Two."]}, "text must be a string, not list"),
        ("rarr", {"text": "One.", "question": 5}, "question must be a string, not int"),
        ("rarr", {"text": 0}, "text must be a string, not int"),
        ("rarr", {"text": "caf\udce9"}, "text is not valid UTF-8 at character 4"),
        ("rarr", {"question": "\ud83d?"}, "question is not valid UTF-8 at character 1"),
        ("critic_qa", {"text": 5}, "text must be a string"),
        ("critic_qa", {"question": "Who?", "gold": "Brahms"}, "gold must be a list"),
        ("critic_qa", {"question": "Who?", "gold": [5]}, "a right answer must be a string"),
        ("critic_program", {"text": b"answer = 1"}, "text must be a string, not bytes"),
        ("critic_toxicity", {"text": {"a": 1}}, "text must be a string, not dict"),
        ("refchecker", {"text": "One.", "references": "One."}, "references must be a list of texts, not str"),
        ("refchecker", {"text": "One.", "references": 5}, "references must be a list of texts, not int"),
        ("refchecker", {"text": "One.", "references": [5]}, "a reference is a text"),
        ("refchecker", {"text": "One.", "references": ["\udce9"]}, "a reference is not valid UTF-8"),
        ("refchecker", {"text": 5}, "text must be a string"),
        ("direct", {"question": 5}, "question must be a string"),
        ("direct", {"question": "Who?", "text": 5}, "text must be a string"),
    ],
)
def test_input_of_another_kind_is_named(method: str, given: dict[str, Any], said: str) -> None:
    with pytest.raises(ConfigurationError) as raised:
        load(method).invoke(given)
    assert said in str(raised.value)


def test_none_is_as_good_as_nothing() -> None:
    with pytest.raises(ConfigurationError, match="nothing to check"):
        load("rarr").invoke({"text": None, "question": None})
