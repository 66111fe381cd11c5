"""A response with its claims, as the steps of RefChecker find it."""

from typing import Any

from errata.state.methods.refcheck import Statement
from errata.tools import evidence

from ..states import state

TEXT = "The tower was built in 1889. It is red."
SAYS = evidence(query="", text="The tower was built in 1889. It opened in May.", title="Tower", source="reference 1")
DENIES = evidence(query="", text="The tower was built in 1888.", title="Guide", source="reference 2")


def claim(number: int, subject: str, predicate: str, value: str, *sentences: int) -> Statement:
    content = f"{subject} {predicate} {value}"
    parts: Any = {"subject": subject, "predicate": predicate, "object": value}
    found: Statement = {"id": f"c{number}", "content": content, "sentences": [*sentences]} | parts
    return found


BUILT, RED = claim(1, "The tower", "was built in", "1889", 1), claim(2, "The tower", "is", "red", 2)


def response(**fields: Any) -> Any:
    known: dict[str, Any] = {
        "text": TEXT, "references": [], "own_claims": [], "sentences": [[0, 28], [29, 39]],
        "statements": [BUILT, RED], "found": [],
        "jobs": [], "checked": [], "verdict_of": {}, "claims": [], "evidence": [SAYS, DENIES],
        "quorum": {"passages": {"asked": 1, "had": 1}},
    }  # fmt: skip
    return state(**(known | fields))
