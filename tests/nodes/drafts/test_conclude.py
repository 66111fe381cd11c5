"""A draft says that nobody checked it, or why there is none."""

from typing import Any

import pytest

from errata.nodes.drafts.conclude import conclude
from errata.state import Context

from ..states import failure, state


@pytest.mark.parametrize(
    ("fields", "stopped", "reason"),
    [
        ({"text": "In 1889."}, "finished", "a draft: it was not checked"),
        (
            {"text": "In 1889.", "reason": "3 of 4 samples agree on it"},
            "finished",
            "a draft: 3 of 4 samples agree on it",
        ),
        ({"text": "In 1889.", "failures": [failure("no probabilities", unchecked=False)]}, "finished", "a draft: it"),
        ({"failures": [failure("it is down", "draft")]}, "error", "it is down"),
        ({}, "budget", "a draft: it was not checked"),
    ],
)
async def test_a_draft_is_a_draft(fields: dict[str, Any], stopped: str, reason: str) -> None:
    result = await conclude(state(**fields), Context())
    assert result["stopped"] == stopped
    assert result["reason"].startswith(reason)
    assert {part["status"] for part in result["attribution"]} <= {"not checked"}
