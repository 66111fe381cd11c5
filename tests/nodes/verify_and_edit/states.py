"""A chain of thought as the steps of Verify-and-Edit find it."""

from typing import Any

from errata.nodes.verify_and_edit.rationale import split
from errata.state import Context
from errata.tools import evidence

from ..states import state

CHAIN = "First, the tower was built in 1899. Second, it stands in Paris. The answer is 1899."
FOUND = evidence(query="When?", text="The tower was built in 1889.", title="Tower")


def chain(**fields: Any) -> Any:
    known: dict[str, Any] = {
        "question": "When was the tower built?", "text": CHAIN, "samples": [], "paragraphs": [], "paths": [],
        "asked": 0, "consistency": None, "mode": "count", "answer": "", "original_answer": "", "sentences": [],
        "checked": [], "found": [],
    }  # fmt: skip
    return state(**(known | fields))


async def cut_up(**fields: Any) -> Any:
    """The state after the text was cut into sentences."""
    known = chain(**fields)
    return known | await split(known, Context())


def verified(sentence: Any, after: str, label: str = "contradiction") -> Any:
    told = {"after": after, "verified": True, "label": label, "evidence": [FOUND["id"]], "question": "When?"}
    return sentence | told
