"""Why a loop ended, in words and by name."""

from typing import Any

import pytest

from errata.nodes.critic.conclude import conclude
from errata.state import Context

from ..states import edit, failure, loop, verdict

TEXT = "It was built in 1899."
WRONG = verdict("contradiction", reason="built in 1889", question="Is the answer right?")
FINE = verdict("entailment", reason="so it says")


async def ended(accepted: bool = False, most: int = 2, **fields: Any) -> dict[str, Any]:
    state = loop(**{"question": "When?", "text": TEXT, **fields})
    return await conclude(lambda state: accepted, most)(state, Context(patience=2))


@pytest.mark.parametrize(
    ("fields", "stopped", "reason"),
    [
        ({"accepted": True, "verdicts": [FINE]}, "accepted", "it passes unchanged"),
        ({"accepted": True, "verdicts": [FINE], "rounds": 1}, "accepted", "it passes after 1 round of correction"),
        ({"failures": [failure("it is down", "critique")]}, "error", "critique failed: it is down"),
        ({"unchanged": 2, "rounds": 2}, "stable", "further corrections do not change it after 2 rounds of"),
        ({"rounds": 2}, "rounds", "no further correction was allowed after 2 rounds of correction"),
        ({"spent": True}, "budget", "the budget of model calls is spent after 0 rounds"),
        ({"text": ""}, "budget", "the budget of model calls is spent"),
    ],
)
async def test_each_end_has_its_name(fields: dict[str, Any], stopped: str, reason: str) -> None:
    result = await ended(**fields)
    assert result["stopped"] == stopped
    assert result["reason"].startswith(reason)


async def test_a_failure_counts_for_more_than_an_acceptance() -> None:
    assert (await ended(accepted=True, failures=[failure("down")]))["stopped"] == "error"


async def test_what_is_still_wrong_is_told() -> None:
    result = await ended(most=0, verdicts=[WRONG])
    assert result["reason"] == "no correction was allowed; the answer is still wrong: built in 1889"
    assert (result["status"], result["unresolved"][0]["left"]) == ("unresolved", "no correction was allowed")


async def test_a_correction_that_nobody_looked_at_again_is_told() -> None:
    made = edit("It was old.", TEXT)
    result = await ended(most=1, rounds=1, verdicts=[WRONG], original="It was old.", edits=[made])
    assert result["reason"].endswith("the last correction was not critiqued")
    assert (result["status"], result["unresolved"]) == ("corrected", [])


async def test_a_program_is_one_piece_and_no_sentences() -> None:
    run: Any = {"id": "e", "query": "a = 1\nanswer = a", "text": "1", "title": "", "source": "python:monty", "score": 0}
    result = await ended(text=run["query"], accepted=True, verdicts=[verdict("entailment", "e")], evidence=[run])
    assert [part["sentence"] for part in result["attribution"]] == [run["query"]]
