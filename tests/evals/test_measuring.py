"""Measures that ask a task about a result."""

from pathlib import Path
from typing import Any

import pytest
from langchain_core.runnables import RunnableLambda

from errata.evals.measuring import attributed, judging
from errata.state import Context
from errata.state.errors import ConfigurationError


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


def test_a_judge_is_a_model_a_network_or_the_rules(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    run = Context(model="openai:small", base_url="http://127.0.0.1:1/v1", backends={"edit": "rules"})
    rules = judging("rules", "", run)
    assert (rules.backends, rules.model) == ({"edit": "rules", "agreement": "rules"}, "openai:small")
    large = judging("openai:large", "", run)
    assert (large.backends["agreement"], large.model, large.base_url) == ("chat", "openai:large", None)
    assert judging("openai:large", "http://127.0.0.1:2/v1", run).base_url == "http://127.0.0.1:2/v1"
    with pytest.raises(ConfigurationError):
        judging(str(tmp_path), "", run)
