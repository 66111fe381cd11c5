"""What every data set comes to."""

from typing import Any

from typing_extensions import TypedDict


class Item(TypedDict, total=False):
    """One item. A batch runs it as a row: a method takes the fields that are its input."""

    id: str | int
    question: str
    """What a method that answers is asked."""
    text: str
    """What a method that corrects a text is given."""
    paragraphs: list[str]
    """Texts that come with the item."""
    references: list[str]
    """The same, as what RefChecker checks against."""
    answers: list[str]
    """Right answers. They never stand under `gold`, which CRITIC's oracle reads."""
    label: str
    """Of a claim: SUPPORTS, REFUTES or NOT ENOUGH INFO."""
    kind: str
    """What the data set calls its kind of item."""
    human: list[str]
    """What people say of each claim in a response: entailment, neutral or contradiction."""
    scores: dict[str, Any]
    """What somebody else measured of it."""


def listed(found: Any) -> list[Any]:
    """A list as it is, one value as a list of one."""
    return found if isinstance(found, list) else [found]
