"""What a correction came to, and why it ended."""

from typing import Any

import pytest

from errata.nodes.rarr.conclude import conclude
from errata.state import Context

from ..states import failure, state, verdict

TEXT = "It was built in 1899."


def check(label: Any, *, settled: bool = True, **more: Any) -> dict[str, Any]:
    said = verdict(label, "e1", "it is down") if label else None
    known = {"question": "When?", "passage": 0, "evidence": "e1", "verdict": said, "settled": settled}
    return {**known, "replacement": None, **more}


def ended(*checks: dict[str, Any], **fields: Any) -> dict[str, Any]:
    known = {"text": TEXT, "questions": ["When?"], "checks": [*checks]}
    return conclude(state(**{**known, **fields}), Context())


@pytest.mark.parametrize(
    ("result", "stopped", "reason"),
    [
        (ended(check("entailment"), check("neutral")), "finished", "2 checks: 1 checked, 1 nothing found"),
        (ended(check(None, corrected=verdict("contradiction"))), "finished", "1 check: 1 corrected"),
        (ended(check("contradiction", left="it changes too much")), "finished", "1 check: 1 unresolved"),
        (ended(check("entailment"), check(None, settled=False)), "budget", "the budget of model calls is spent; 2 che"),
        (ended(questions=[]), "finished", "the text makes no claim to ask about"),
        (ended(text=""), "budget", "the budget of model calls is spent"),
        (
            ended(check("entailment"), failures=[failure("down")]),
            "error",
            "some of the text is unchecked: research",
        ),
    ],
)
def test_each_end_has_its_name(result: dict[str, Any], stopped: str, reason: str) -> None:
    assert result["stopped"] == stopped
    assert result["reason"].startswith(reason)


def test_a_gate_that_could_not_be_asked_is_a_failure_and_no_verdict() -> None:
    result = ended(check("entailment"), check("error"))
    assert result["failures"] == [{"step": "gate", "reason": "it is down", "unchecked": True}]
    assert result["quorum"] == {"verdicts": {"asked": 2, "had": 1}}
    assert result["stopped"] == "error"
