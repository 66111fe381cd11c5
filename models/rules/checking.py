"""The task `check`: each claim by itself, with the rules of `agreement`. What they cannot tell is neutral."""

from typing import Any

from ..tasks.claims import Judgement, Judgements
from .agreeing import agreement


def check(task_input: dict[str, Any]) -> Judgements:
    """Compare every claim with the evidence."""
    return Judgements(judgements=[_judgement(number, task_input) for number in range(1, len(task_input["claims"]) + 1)])


def _judgement(number: int, task_input: dict[str, Any]) -> Judgement:
    claim = task_input["claims"][number - 1]
    found = agreement(
        {
            "text": claim,
            "question": task_input["question"],
            "query": claim,
            "evidence": task_input["evidence"],
            "title": task_input["title"],
        }
    )
    return Judgement(claim=number, reason=found.evidence_says, label=found.label)
