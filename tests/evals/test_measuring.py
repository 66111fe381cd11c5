"""Measures that ask a task about a result."""

from typing import Any

from langchain_core.runnables import RunnableLambda

from errata.evals.measuring import attributed
from errata.state import Context


async def test_attribution_is_judged_by_the_evidence_of_the_report_with_each_sentence_in_its_context() -> None:
    asked: list[tuple[str, str, str]] = []

    async def agreement(task_input: dict[str, Any]) -> Any:
        asked.append((task_input["text"], task_input["before"], task_input["evidence"]))
        label = "entailment" if "1889" in task_input["text"] else "neutral"
        return {"text_says": "1889", "evidence_says": "1889", "label": label}

    result = {
        "original": "The tower is tall. It is of 1899.",
        "text": "The tower is tall. It is of 1889.",
        "evidence": [{"id": "e1", "text": "It was built in 1889."}, {"id": "e2", "text": "Found, and not reported."}],
        "attribution": [{"evidence": []}, {"evidence": ["e1"]}],
    }
    scores = await attributed({}, result, Context(backends={"agreement": RunnableLambda(agreement)}))
    assert (scores["attribution_before"], scores["attribution"]) == (0.0, 0.5)
    assert {evidence for _, _, evidence in asked} == {"It was built in 1889."}
    assert ("It is of 1889.", "The tower is tall.", "It was built in 1889.") in asked
