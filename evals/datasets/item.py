"""The common form of all data sets."""

from typing import Any

from typing_extensions import TypedDict


class Item(TypedDict, total=False):
    """One item. A batch runs it as a row: a method takes the fields that are its input."""

    id: str | int
    question: str
    """The question, for a method that answers."""
    text: str
    """The text, for a method that corrects."""
    paragraphs: list[str]
    """Texts that come with the item."""
    references: list[str]
    """The same texts, as references for RefChecker."""
    answers: list[str]
    """The right answers. They are never stored as `gold`, which CRITIC's oracle reads."""
    label: str
    """The label of a claim: SUPPORTS, REFUTES or NOT ENOUGH INFO."""
    kind: str
    """The data set's name for this kind of item."""
    human: list[str]
    """The human label of each claim in a response: entailment, neutral or contradiction."""
    scores: dict[str, Any]
    """Other people's measurements of the item."""


def listed(value: Any) -> list[Any]:
    """A list as it is, a single value as a list."""
    return value if isinstance(value, list) else [value]
