"""Questions keep their order, whichever search ends first."""

from typing import Any

from errata.nodes.rarr import pool
from errata.state import Context, Evidence
from errata.state.methods.correction import Found
from errata.tools import evidence


def found(number: int, *texts: str, failed: str = "") -> Found:
    query = f"Question {number}?"
    pieces: list[Evidence] = [evidence(query=query, text=text, source="s") for text in texts]
    return {"question": {"number": number, "text": query, "passage": 0}, "evidence": pieces, "failed": failed}


async def test_checks_follow_the_questions() -> None:
    state: Any = {"found": [found(2, "c"), found(0, "a", "b"), found(1)]}
    pooled = await pool(state, Context())
    assert [check["question"] for check in pooled["checks"]] == [f"Question {n}?" for n in (0, 0, 1, 2)]
    assert [piece["text"] for piece in pooled["evidence"]] == ["a", "b", "c"]


async def test_finding_nothing_is_neutral_and_not_being_able_to_look_is_an_error() -> None:
    state: Any = {"found": [found(0), found(1, failed="the search is down")]}
    nothing, down = [check["verdict"] for check in (await pool(state, Context()))["checks"]]
    assert (nothing["label"], down["label"]) == ("neutral", "error")
    assert down["reason"] == "the search is down"
