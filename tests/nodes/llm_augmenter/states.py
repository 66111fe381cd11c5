"""Working memory as a step finds it."""

from typing import Any

from errata.state.methods.augmenter import Score
from errata.tools import evidence

from ..states import state

DOGS = evidence(query="q", text="Dogs are welcome for 8 pounds a night.", title="Lodge")
RIGHT, WRONG = "Dogs are welcome for 8 pounds a night.", "No dogs at all."


def memory(**fields: Any) -> Any:
    known: dict[str, Any] = {
        "question": "Can I bring my dog?", "history": [], "knowledge": [], "links": [], "chains": [], "candidates": [],
        "scores": [], "judgement": "", "critique": "", "feedback": [], "tried": [], "open": [], "chosen": None,
        "decisions": [],
    }  # fmt: skip
    return state(**(known | fields))


def knowing(**fields: Any) -> Any:
    """With evidence."""
    return memory(**{"evidence": [DOGS], "chains": [[DOGS["id"]]], **fields})


def scored(text: str, overall: float | None) -> Score:
    unknown: Any = {"fluency": None, "informativeness": None, "factuality": None}
    found: Score = {"text": text, "kf1": overall, "overall": overall} | unknown
    return found
